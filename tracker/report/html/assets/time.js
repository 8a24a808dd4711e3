// How it came about: states and costs over the runs, a slider, toolchains side by side.

// The state counts after every run: one array for each state.
function countsOverRuns(history) {
  const names = history.raw.labelNames.map(stateOfName);
  const now = history.raw.start.map((l) => names[l]);
  const counts = core.states.map(() => 0);
  now.forEach((s) => {
    counts[s] += 1;
  });
  const over = core.states.map(() => []);
  for (const [who, what] of history.raw.labels) {
    who.forEach((ob, k) => {
      counts[now[ob]] -= 1;
      now[ob] = names[what[k]];
      counts[now[ob]] += 1;
    });
    counts.forEach((n, s) => over[s].push(n));
  }
  return over;
}

function statesChart(history) {
  const over = countsOverRuns(history);
  const series = core.states
    .map((state, s) => ({ name: state.word, colour: `--${state.key}`, values: over[s], mark: mark(s) }))
    .filter((s) => s.values.some((v) => v > 0));
  return chart({
    title: "Obligations by state after each run",
    xs: runs.number.map(String),
    xTitle: "run",
    series,
    stacked: true,
    height: 240,
    switches: switchesAmong(runs.number.map((_, r) => r)),
  });
}

// The cost of a set of modules as it was known after each run: each module's newest check until then.
function costOverRuns(history, chosen, part, join) {
  const known = new Map();
  const inside = new Set(chosen);
  return history.byRun.map((checks) => {
    for (const check of checks) if (inside.has(check.m) && check[part] !== null) known.set(check.m, check[part]);
    return known.size ? [...known.values()].reduce(join) : null;
  });
}

function modulesOf(members) {
  return [...new Set(members.map((i) => obs.module[i]))];
}

function scopes() {
  const all = obs.id.map((_, i) => i);
  const found = [["all", "The whole project", mods.name.map((_, m) => m)]];
  core.nets.forEach(([key, title], n) =>
    found.push([`net:${key}`, title, modulesOf(all.filter((i) => obs.net[i] === n))]),
  );
  core.kinds.forEach(([key, title], k) =>
    found.push([`kind:${key}`, title, modulesOf(all.filter((i) => obs.kind[i] === k))]),
  );
  core.families.forEach((family) =>
    found.push([`family:${family.id}`, `Family ${family.title}`, modulesOf(family.members)]),
  );
  mods.name.forEach((name, m) => {
    if (mods.wall[m] !== null && mods.name.length <= 3000) found.push([`module:${name}`, name, [m]]);
  });
  return found;
}

const METRICS = [
  ["wall", "wall time", "ms", (a, b) => a + b, "together"],
  ["cpu", "CPU time", "ms", (a, b) => a + b, "together"],
  ["peak", "peak memory", "KiB", (a, b) => Math.max(a, b), "largest"],
];

function costCard(history, query, go) {
  const every = scopes();
  const holder = el("div");
  const draw = () => {
    const [, title, all] = every.find(([key]) => key === query.of) || every[0];
    const chosen = all.filter((m) => history.series.has(m));
    const [part, word, unit, join, how] = METRICS.find(([key]) => key === query.cost) || METRICS[0];
    const values = costOverRuns(history, chosen, part, join);
    holder.replaceChildren(
      chart({
        title: `${title}: ${word}, ${chosen.length > 1 ? `${how} of ${count(chosen.length, "module")} as known after each run` : "newest check until each run"}`,
        unit,
        xs: runs.number.map(String),
        xTitle: "run",
        series: [{ name: "", colour: "--series-1", values }],
        height: 220,
        switches: switchesAmong(runs.number.map((_, r) => r)),
      }),
    );
  };
  const pick = (name, choices) =>
    el(
      "select",
      {
        "aria-label": name,
        onchange: (e) => {
          query[name === "Cost" ? "cost" : "of"] = e.target.value;
          go(query);
          draw();
        },
      },
      choices.map(([key, title]) =>
        el("option", { value: key, selected: key === (name === "Cost" ? query.cost : query.of) }, plain(title)),
      ),
    );
  draw();
  return card(
    "Cost over the runs",
    el("div", { class: "row filters" }, pick("Part of the project", every), pick("Cost", METRICS)),
    holder,
  );
}

function sliderCard(history, query, go) {
  const last = runs.number.length - 1;
  let r = byRun.has(Number(query.run)) ? byRun.get(Number(query.run)) : last;
  const out = el("div");
  const range = el("input", {
    type: "range",
    min: "0",
    max: String(last),
    value: String(r),
    "aria-label": "Run",
    oninput: (e) => {
      r = Number(e.target.value);
      query.run = runs.number[r];
      go(query);
      draw();
    },
  });
  const step = (by, name) =>
    el(
      "button",
      {
        type: "button",
        "aria-label": name,
        onclick: () => {
          range.value = String(r + by);
          range.dispatchEvent(new Event("input"));
        },
      },
      by < 0 ? "‹" : "›",
    );
  function draw() {
    range.setAttribute("aria-valuetext", `${runName(r)}, Lean ${leanVersion(r)}`);
    const states = labelsAfter(history, r).map(stateOfName);
    out.replaceChildren(
      el(
        "p",
        null,
        runLink(r),
        ", ",
        when(runs.start[r]),
        ", Lean ",
        el("b", null, visible(leanVersion(r))),
        runs.commit[r]
          ? [", commit ", el("code", null, runs.commit[r].slice(0, 10)), runs.dirty[r] ? " with changes" : ""]
          : "",
        ". ",
        el("a", { href: address("graph", null, { run: runs.number[r] }) }, "This moment in the graph"),
      ),
      el("div", null, stateBar(states)),
      netTable(states),
    );
  }
  draw();
  return card(
    "Any moment",
    el("div", { class: "row" }, step(-1, "Earlier run"), el("label", { class: "grow" }, range), step(1, "Later run")),
    out,
  );
}

function stateBar(states) {
  const counts = core.states.map((_, s) => states.filter((t) => t === s).length);
  let x = 0;
  const parts = counts.map((n, s) => {
    if (!n) return null;
    const part = svg("rect", {
      class: `fill-${core.states[s].key}`,
      x: `${(100 * x) / states.length}%`,
      width: `${(100 * n) / states.length}%`,
      height: "100%",
    });
    x += n;
    return part;
  });
  return [
    svg("svg", { class: "bar", "aria-hidden": "true", preserveAspectRatio: "none" }, parts),
    el(
      "ul",
      { class: "legend" },
      counts.map((n, s) => n > 0 && el("li", null, mark(s), ` ${n} ${core.states[s].word}`)),
    ),
  ];
}

function netTable(states) {
  const rows = core.nets.map(([, title], n) => {
    const mine = states.filter((_, i) => obs.net[i] === n);
    return { title, total: mine.length, counts: core.states.map((_, s) => mine.filter((t) => t === s).length) };
  });
  const present = core.states.map((_, s) => s).filter((s) => rows.some((row) => row.counts[s]));
  const columns = [
    { title: "Net", value: (row) => row.title, cell: (row) => visible(row.title) },
    ...present.map((s) => ({
      title: core.states[s].word,
      num: true,
      value: (row) => row.counts[s],
      cell: (row) => row.counts[s] || "",
    })),
    { title: "All", num: true, value: (row) => row.total, cell: (row) => row.total },
  ];
  return table({ caption: "States by net at this moment", columns }, rows);
}

function runsCard() {
  const columns = [
    { title: "Run", value: (r) => r, cell: runLink },
    { title: "Started", value: (r) => runs.start[r], cell: (r) => when(runs.start[r]) },
    { title: "Lean", value: leanVersion, cell: (r) => visible(leanVersion(r)) },
    {
      title: "Took",
      num: true,
      value: (r) => (runs.end[r] === null ? null : runs.end[r] - runs.start[r]),
      cell: (r) => (runs.end[r] === null ? "–" : showMs(1000 * (runs.end[r] - runs.start[r]))),
    },
    { title: "Checked", num: true, value: (r) => runs.checked[r], cell: (r) => runs.checked[r] },
    {
      title: "Failed",
      num: true,
      value: (r) => runs.failed[r],
      cell: (r) => (runs.failed[r] ? el("b", { class: "s-failed" }, String(runs.failed[r])) : 0),
    },
    { title: "Ended", value: (r) => runs.state[r], cell: (r) => runs.state[r] },
    {
      title: "Commit",
      value: (r) => runs.commit[r],
      cell: (r) =>
        runs.commit[r] ? [el("code", null, runs.commit[r].slice(0, 10)), runs.dirty[r] ? " +changes" : ""] : "–",
    },
    {
      title: "Machine",
      value: (r) => runs.machine[r],
      wrap: true,
      cell: (r) => el("span", { class: "small" }, visible(core.machines[runs.machine[r]])),
    },
  ];
  return card(
    "Runs",
    table(
      { caption: "Runs", columns, sort: { column: 0, down: true }, first: 25 },
      runs.number.map((_, r) => r),
    ),
  );
}

function toolchainCard(history, query, go) {
  if (core.toolchains.length < 2) return null;
  const used = [...new Set(runs.toolchain)];
  let a = used.includes(Number(query.old)) && query.old !== undefined ? Number(query.old) : used.at(-2);
  let b = used.includes(Number(query.new)) && query.new !== undefined ? Number(query.new) : used.at(-1);
  const holder = el("div");
  const draw = () => holder.replaceChildren(toolchainTable(history, a, b));
  const pick = (name, value, set) =>
    el(
      "select",
      {
        "aria-label": name,
        onchange: (e) => {
          set(Number(e.target.value));
          Object.assign(query, { old: a, new: b });
          go(query);
          draw();
        },
      },
      used.map((t) => el("option", { value: String(t), selected: t === value }, plain(shortTool(core.toolchains[t])))),
    );
  draw();
  return card(
    "Toolchains side by side",
    el(
      "div",
      { class: "row filters" },
      pick("Old toolchain", a, (v) => {
        a = v;
      }),
      " → ",
      pick("New toolchain", b, (v) => {
        b = v;
      }),
    ),
    holder,
  );
}

function toolchainTable(history, a, b) {
  const rows = [];
  const machines = new Set();
  for (const [m, checks] of history.series) {
    const under = (t) => checks.findLast((c) => runs.toolchain[c.r] === t);
    const [was, now] = [under(a), under(b)];
    if (!was || !now) continue;
    machines.add(runs.machine[was.r]).add(runs.machine[now.r]);
    rows.push({
      m,
      was,
      now,
      wall: was.wall && now.wall ? now.wall / was.wall : null,
      peak: was.peak && now.peak ? now.peak / was.peak : null,
    });
  }
  const outcome = (c) => labelled(stateWords.get(c.cls ? "failed" : "proved"), c.cls || "passed");
  const columns = [
    { title: "Module", value: (row) => history.names[row.m], cell: (row) => modLink(row.m, history.names[row.m]) },
    { title: shortTool(core.toolchains[a]), value: (row) => row.was.cls || "", cell: (row) => outcome(row.was) },
    { title: shortTool(core.toolchains[b]), value: (row) => row.now.cls || "", cell: (row) => outcome(row.now) },
    {
      title: "Wall",
      num: true,
      value: (row) => (row.wall === null ? null : row.now.wall - row.was.wall),
      cell: (row) => `${showMs(row.was.wall)} → ${showMs(row.now.wall)}`,
    },
    { title: "×", num: true, value: (row) => row.wall, cell: (row) => showTimes(row.wall) },
    {
      title: "Peak",
      num: true,
      value: (row) => (row.peak === null ? null : row.now.peak - row.was.peak),
      cell: (row) => `${showKib(row.was.peak)} → ${showKib(row.now.peak)}`,
    },
    { title: "×", num: true, value: (row) => row.peak, cell: (row) => showTimes(row.peak) },
  ];
  return el(
    "div",
    null,
    machines.size > 1 &&
      el("p", { class: "notice" }, "These figures come from different machines: their ratios say little."),
    el(
      "p",
      { class: "small muted" },
      "Last check under the one against newest check under the other; sources may have changed in between. Sorted by growth.",
    ),
    table({ caption: "Modules under two toolchains", columns, sort: { column: 3, down: true }, first: 25 }, rows),
  );
}

const timeView = {
  title: () => "Time",
  async show(section, _argument, query, go) {
    const heading = el("h1", { tabindex: "-1" }, "Time");
    if (!runs.number.length) {
      section.replaceChildren(heading, el("p", null, "There has been no run yet."));
      return;
    }
    section.replaceChildren(heading, el("p", { class: "muted" }, "Unpacking…"));
    const history = await past();
    const note = el(
      "p",
      { class: "muted small" },
      "Past states are today's catalogue judged by the evidence of that time; past sources and catalogues are not kept.",
    );
    const side = toolchainCard(history, query, go);
    const charts = el(
      "div",
      { class: "columns" },
      card("States over the runs", statesChart(history), note),
      costCard(history, query, go),
    );
    section.replaceChildren(...[heading, sliderCard(history, query, go), charts, side, runsCard()].filter(Boolean));
    if (query.compare) side?.scrollIntoView();
  },
};
