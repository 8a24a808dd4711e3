// One run: when each module was checked, and the chain of imports that took longest.

// The chain of modules, each importing the one before, with the largest sum of wall times among these checks.
function criticalPath(checks) {
  const wall = new Map(checks.filter((c) => c.wall !== null && c.m < mods.name.length).map((c) => [c.m, c.wall]));
  const best = new Map();
  const before = new Map();
  // The modules of the project stand in the order of their imports.
  for (let m = 0; m < mods.name.length; m += 1) {
    let sum = 0,
      from = null;
    for (const i of mods.imports[m]) {
      if ((best.get(i) || 0) > sum) {
        sum = best.get(i);
        from = i;
      }
    }
    const own = wall.get(m) || 0;
    if (sum + own > 0) {
      best.set(m, sum + own);
      before.set(m, from);
    }
  }
  let end = null;
  for (const [m, sum] of best) if (end === null || sum > best.get(end)) end = m;
  const path = [];
  for (let m = end; m !== null && m !== undefined; m = before.get(m)) if (wall.has(m)) path.unshift(m);
  return { path, wall: end === null ? 0 : best.get(end) };
}

function timeline(history, checks, critical) {
  const lanes = [],
    WIDE = chartWidth(1320);
  const ordered = [...checks].sort((a, b) => a.start - b.start);
  const length = Math.max(1, ...ordered.map((c) => c.start + (c.wall || 0)));
  const on = new Set(critical.path);
  const bars = ordered.map((check) => {
    // Starts are rounded to a tenth of a second, durations to three figures: less is no overlap.
    let lane = lanes.findIndex(({ end, wall }) => end <= check.start + (check.start < 1e5 ? 1 : 101) + wall * 0.006);
    if (lane < 0) {
      lane = lanes.length;
      lanes.push(null);
    }
    lanes[lane] = { end: check.start + (check.wall || 0), wall: check.wall || 0 };
    return { check, lane };
  });
  const each = lanes.length <= 4 ? 20 : 9,
    tall = lanes.length * each + 22;
  const scale = (ms) => (ms / length) * WIDE;
  const ticks = ticksFor("ms", length).map((t) => [
    svg("line", { class: "axis", x1: scale(t), x2: scale(t), y1: 0, y2: tall - 14 }),
    svg("text", { x: Math.min(scale(t) + 2, WIDE - 40), y: tall - 3 }, showMs(t)),
  ]);
  const drawing = svg(
    "svg",
    {
      class: "chart timeline",
      viewBox: `0 0 ${WIDE} ${tall}`,
      role: "img",
      "aria-label": "When each module was checked; the table below has the figures",
    },
    ticks,
    bars.map(({ check, lane }) =>
      svg(
        "rect",
        {
          class: check.cls ? "failed" : on.has(check.m) ? "critical" : null,
          x: scale(check.start),
          y: lane * each,
          width: Math.max(0.8, scale(check.wall || 0)),
          height: each - 1,
        },
        svg(
          "title",
          null,
          `${plain(history.names[check.m])}: ${showMs(check.wall)}, after ${showMs(check.start)}${check.cls ? `, ${check.cls}` : ""}`,
        ),
      ),
    ),
  );
  return el(
    "figure",
    null,
    el(
      "figcaption",
      null,
      `Schedule: ${count(checks.length, "module")} in ${showMs(length)}, up to ${lanes.length} at a time`,
    ),
    drawing,
    el(
      "p",
      { class: "small muted" },
      swatch("--series-1"),
      " checked   ",
      swatch("--series-2"),
      " on the critical path   ",
      swatch("--failed"),
      " failed",
    ),
  );
}

const swatch = (name) =>
  svg(
    "svg",
    { class: "mark", viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("rect", { width: 16, height: 16, fill: `var(${name})` }),
  );

const runView = {
  title: (number) => `Run ${number}`,
  async show(section, number) {
    const r = byRun.get(Number(number));
    if (r === undefined) return missing(section, "run", number);
    section.replaceChildren(el("p", { class: "muted" }, "Unpacking…"));
    const history = await past();
    const checks = history.byRun[r];
    const critical = criticalPath(checks);
    const on = new Set(critical.path);
    const [who, what] = history.raw.labels[r];
    const columns = [
      { title: "Module", value: (c) => history.names[c.m], cell: (c) => modLink(c.m, history.names[c.m]) },
      {
        title: "Result",
        value: (c) => c.cls || "",
        cell: (c) => labelled(stateWords.get(c.cls ? "failed" : "proved"), c.cls || "passed"),
      },
      { title: "Started after", num: true, value: (c) => c.start, cell: (c) => showMs(c.start) },
      { title: "Wall", num: true, value: (c) => c.wall, cell: (c) => showMs(c.wall) },
      { title: "CPU", num: true, value: (c) => c.cpu, cell: (c) => showMs(c.cpu) },
      { title: "Peak", num: true, value: (c) => c.peak, cell: (c) => showKib(c.peak) },
      { title: "Critical", value: (c) => Number(on.has(c.m)), cell: (c) => (on.has(c.m) ? "yes" : "") },
    ];
    const near = (k, text) =>
      k >= 0 && k < runs.number.length ? el("a", { href: address("run", runs.number[k]) }, text) : null;
    section.replaceChildren(
      el("h1", { tabindex: "-1" }, `Run ${runs.number[r]}`),
      el(
        "p",
        { class: "row" },
        near(r - 1, "‹ earlier"),
        near(r + 1, "later ›"),
        el("a", { href: address("time", null, { run: runs.number[r] }) }, "States after it"),
      ),
      card(
        null,
        facts([
          ["started", [when(runs.start[r]), ` (${ago(runs.start[r])})`]],
          ["took", runs.end[r] === null ? null : showMs(1000 * (runs.end[r] - runs.start[r]))],
          ["ended", runs.state[r]],
          ["Lean", visible(core.toolchains[runs.toolchain[r]])],
          ["machine", visible(core.machines[runs.machine[r]])],
          ["commit", runs.commit[r] && [el("code", null, runs.commit[r]), runs.dirty[r] ? " with changes" : ""]],
          ["modules", `${runs.checked[r]} checked, ${runs.failed[r]} failed`],
        ]),
      ),
      checks.length > 0 ? card(null, timeline(history, checks, critical)) : el("p", null, "It checked no module."),
      critical.path.length > 0
        ? card(
            "Critical path",
            el(
              "p",
              null,
              `${count(critical.path.length, "module")}, ${showMs(critical.wall)}: no number of processors makes these checks faster than that.`,
            ),
            el(
              "ol",
              null,
              critical.path.map((m) =>
                el("li", null, modLink(m), ` ${showMs((checks.find((c) => c.m === m) || {}).wall)}`),
              ),
            ),
          )
        : "",
      who.length
        ? card(
            "Changed states",
            table(
              {
                caption: "Changed states",
                first: 25,
                columns: [
                  { title: "Obligation", value: (k) => obs.id[who[k]], cell: (k) => obLink(who[k]) },
                  {
                    title: "Became",
                    value: (k) => history.raw.labelNames[what[k]],
                    cell: (k) =>
                      labelled(stateOfName(history.raw.labelNames[what[k]]), history.raw.labelNames[what[k]]),
                  },
                ],
              },
              who.map((_, k) => k),
            ),
          )
        : "",
      checks.length > 0
        ? card(
            "Modules",
            table({ caption: "Modules of this run", columns, sort: { column: 3, down: true }, first: 25 }, checks),
          )
        : "",
    );
    return undefined;
  },
};
