// What the page knows. `core` is there at once; texts and history are unpacked when they are first needed.

const core = JSON.parse($("#core").textContent);
const obs = core.obligations;
const mods = core.modules;
const runs = core.runs;
const OBLIGATIONS = obs.id.length;

const byId = new Map(obs.id.map((id, i) => [id, i]));
const byDecl = new Map(obs.decl.map((decl, i) => [decl, i]));
const byModule = new Map(mods.name.map((name, i) => [name, i]));
const byRun = new Map(runs.number.map((number, i) => [number, i]));

const users = obs.id.map(() => []);
obs.deps.forEach((deps, i) => deps.forEach((dep) => users[dep].push(i)));
const inModule = mods.name.map(() => []);
obs.module.forEach((m, i) => inModule[m].push(i));
const importers = mods.name.map(() => []);
mods.imports.forEach((imports, i) => imports.forEach((m) => importers[m].push(i)));

const stateOfLabel = (label) => core.labels[label][1];
const stateOf = (i) => core.labels[obs.label[i]][1];
const labelOf = (i) => core.labels[obs.label[i]][0];
const PROVED = core.states.findIndex((s) => s.key === "proved");
const runName = (r) => `run ${runs.number[r]}`;
// An identity is version, commit and added options; the commit is left out where people read it.
const shortTool = (identity) => {
  const [version, , ...options] = identity.split(" ");
  return [version, ...options].join(" ");
};
const leanVersion = (r) => shortTool(core.toolchains[runs.toolchain[r]]);

const unpacked = new Map();
function unpack(id) {
  if (!unpacked.has(id)) unpacked.set(id, inflate($(`#${id}`).textContent.trim()));
  return unpacked.get(id);
}

async function inflate(text) {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to unpack the data");
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const texts = () => unpack("texts");

// The history, with one object a check: {m, r, start, wall, cpu, peak, anon, cls}, by module and by run.
let pastPromise = null;
function past() {
  pastPromise ||= unpack("history").then((raw) => {
    const byRunIndex = runs.number.map(() => []);
    const series = new Map();
    for (const [m, columns] of Object.entries(raw.checks)) {
      const [r, start, wall, cpu, peak, anon, cls] = columns;
      const checks = r.map((run, i) => ({
        m: Number(m),
        r: run,
        start: start[i],
        wall: wall[i],
        cpu: cpu[i],
        peak: peak[i],
        anon: anon[i],
        cls: cls[i] === null ? null : raw.classes[cls[i]],
      }));
      series.set(Number(m), checks);
      for (const check of checks) byRunIndex[check.r].push(check);
    }
    return { raw, series, byRun: byRunIndex, names: raw.modules };
  });
  return pastPromise;
}

// The label name of every obligation after run `r` (an index).
function labelsAfter(history, r) {
  const names = history.raw.labelNames;
  const labels = history.raw.start.map((l) => names[l]);
  for (let i = 0; i <= r; i += 1) {
    const [who, what] = history.raw.labels[i];
    who.forEach((ob, k) => {
      labels[ob] = names[what[k]];
    });
  }
  return labels;
}

const stateWords = new Map(core.states.map((s, i) => [s.word, i]));
const stateOfName = (label) => stateWords.get(label.split(":")[0]);

// Looks and links.

function mark(state, plainly = false) {
  const key = core.states[state].key;
  return svg("svg", { class: plainly ? "mark muted" : `mark s-${key}`, "aria-hidden": "true" }, svg("use", { href: `#m-${key}` }));
}

function labelled(state, text) {
  return el("span", { class: `state s-${core.states[state].key}` }, mark(state), " ", text);
}

const obLink = (i, text) => el("a", { class: "wrap", href: address("o", obs.id[i]) }, visible(text || obs.id[i]));
const modLink = (m, name) =>
  el("a", { class: "wrap", href: address("m", name || mods.name[m]) }, dotted(name || mods.name[m]));
const runLink = (r) => el("a", { href: address("run", runs.number[r]) }, runName(r));

function sourceLink(file, line, column) {
  const text = file + (line ? `:${line}` : "") + (column ? `:${column}` : "");
  if (!core.remote) return el("span", { class: "mono wrap" }, visible(text));
  const path = file.split("/").map(encodeURIComponent).join("/");
  return el(
    "a",
    { class: "mono wrap", rel: "noreferrer", href: core.remote.base + path + (line ? `#L${line}` : "") },
    visible(text),
  );
}

// The greatest part of a limit that it was measured to need, null where none was or no limit is in force.
const limitUse = (i) => obs.use[i] ?? null;
const MEASURED = Object.keys(obs.use).length;

function budgetShare(m) {
  const shares = [
    [mods.wall[m], mods.budgetWall[m]],
    [mods.cpu[m], mods.budgetCpu[m]],
    [mods.peak[m], mods.budgetMemory[m]],
  ]
    .filter(([used, limit]) => used !== null && limit)
    .map(([used, limit]) => used / limit);
  return shares.length ? Math.max(...shares) : null;
}
