// What the graph shows: which nodes, where, in which colours.

const RAMP = {
  light: ["#8b78d0", "#5b9bd0", "#2f9e8a", "#c58a00", "#c0341d"],
  dark: ["#a99bee", "#5b9bd0", "#4cc0a8", "#e8b93c", "#ff8170"],
};
const COLOURINGS = [
  ["state", "State"],
  ["wall", "Wall time of its module"],
  ["peak", "Peak memory of its module"],
  ["budget", "Share of budget used"],
  ["headroom", "Headroom: use of a limit"],
];
const DEPTHS = [
  ["0", "none"],
  ["1", "1 step"],
  ["2", "2 steps"],
  ["3", "3 steps"],
  ["5", "5 steps"],
  ["all", "all"],
];
const spareEdges = new Set(core.spare.map(([a, b]) => a * OBLIGATIONS + b));

function graphTheme() {
  return {
    bg: colour("--bg"),
    lane: colour("--faint"),
    ink: colour("--ink"),
    muted: colour("--muted"),
    edge: colour("--muted"),
    accent: colour("--accent"),
  };
}

function find(text) {
  const i = byId.get(text) ?? byDecl.get(text);
  if (i !== undefined || !text) return i ?? null;
  const hit = findAll(text).find((h) => h.i !== undefined);
  return hit ? hit.i : null;
}

// What is to be seen: the nodes, how they are placed, and which of them stand out.
function graphScene(query) {
  const depth = (text, otherwise) => (text === "all" ? Infinity : text === undefined ? otherwise : Number(text));
  const focus = find(query.focus),
    from = find(query.from),
    to = find(query.to);
  let nodes = obs.id.map((_, i) => i),
    columns = null,
    route = null;
  if (from !== null && to !== null) {
    route = ways(from, to) || ways(to, from);
    if (route) {
      nodes = [...route.on];
      columns = byLongestPath(nodes, route.on);
    }
  } else if (focus !== null) {
    columns = new Map(); // steps from the focus: what it rests on to the left, its users to the right
    for (const [i, steps] of below(focus, depth(query.down, 2))) columns.set(i, -steps);
    for (const [i, steps] of above(focus, depth(query.up, 2))) columns.set(i, steps);
    nodes = [...columns.keys()];
  }
  const inside = columns ? new Set(nodes) : null;
  const edges = [];
  for (const i of nodes) {
    for (const dep of obs.deps[i]) {
      if (inside && !inside.has(dep)) continue;
      if (query.spare !== "shown" && spareEdges.has(i * OBLIGATIONS + dep)) continue;
      edges.push([dep, i]);
    }
  }
  const place = columns ? closeUp(nodes, columns) : { x: (i) => core.x[i], y: (i) => core.y[i] };
  return { nodes, edges, ...place, lanes: columns ? [] : core.lanes, focus, route, from, to };
}

function costColours(kind) {
  const m = (i) => obs.module[i];
  const value = { wall: (i) => mods.wall[m(i)], peak: (i) => mods.peak[m(i)], budget: (i) => budgetShare(m(i)), headroom: limitUse }[kind];
  const limits = {
    wall: [1000, 5000, 20000, 60000],
    peak: [512 * 1024, 1024 ** 2, 2 * 1024 ** 2, 8 * 1024 ** 2],
    budget: [0.25, 0.5, 0.8, 1],
    headroom: [0.1, 0.25, 0.5, 0.8], // what passes cannot need more than all of it
  }[kind];
  const show = { wall: showMs, peak: showKib, budget: showShare, headroom: showShare }[kind];
  const ramp = RAMP[document.documentElement.dataset.theme] || RAMP.light;
  const step = (v) => (v === null ? null : limits.findIndex((limit) => v <= limit));
  const names = limits
    .map((limit, k) => (k === 0 ? `up to ${show(limit)}` : `${show(limits[k - 1])} to ${show(limit)}`))
    .concat(`over ${show(limits.at(-1))}`);
  const title = {
    wall: "wall time of its module",
    peak: "peak memory of its module",
    budget: "share of budget",
    headroom: "use of a limit",
  }[kind];
  const note = {
    budget: "The largest share of any of its module's budgets.",
    headroom: MEASURED
      ? `The greatest part of maxRecDepth or maxHeartbeats that it needs; measured: ${MEASURED} of ${count(OBLIGATIONS, "obligation")}.`
      : "No headroom has been measured for the present sources.",
  }[kind];
  return {
    title,
    note,
    of: (i) => {
      const s = step(value(i));
      return s === null ? colour("--none") : ramp[s < 0 ? 4 : s];
    },
    legend: names.map((name, k) => [ramp[k], name]).concat([[colour("--none"), kind === "headroom" ? "not measured, or without a limit" : "not known"]]),
  };
}
