// One obligation: what it says, what it rests on, what it cost, what went wrong, what would be lost with it.

function facts(pairs) {
  return el(
    "dl",
    { class: "facts" },
    pairs
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([term, value]) => [el("dt", null, term), el("dd", null, value)]),
  );
}

function failureCard(title, failure, advice, extra) {
  const place = failure.file ? sourceLink(failure.file, failure.line, failure.column) : null;
  return card(
    title,
    facts([
      [
        "class",
        [el("b", null, failure.cls), failure.where ? ` (${plain(failure.where)})` : "", ` in the ${failure.phase}`],
      ],
      ["declaration", failure.declaration && el("span", { class: "mono" }, visible(failure.declaration))],
      ["place", place],
      ["when", extra],
      [
        "options",
        failure.options.length
          ? failure.options.map(([k, v]) => [el("code", null, visible(`${k} = ${v}`)), " "])
          : null,
      ],
      ["follows from", failure.cause && el("span", { class: "mono" }, visible(failure.cause))],
    ]),
    el("pre", { tabindex: "0", "aria-label": "Lean's message" }, visible(failure.message)),
    advice && el("div", { class: "advice small" }, prose(advice)),
  );
}

// A catalogue made from the sources often repeats their words.
const sameWords = (one, other) => one.trim() === (other || "").split(/\s+/).join(" ").trim();

function statementCard(i, text) {
  return card(
    "Statement",
    text.statement
      ? el("pre", { tabindex: "0", "aria-label": "Statement" }, lean(text.statement, i))
      : el("p", { class: "muted" }, "Lean has not yet said what it states."),
    text.note && el("pre", { tabindex: "0", "aria-label": "Lean's answer" }, visible(text.note)),
    text.doc && prose(text.doc),
    text.summary && !sameWords(text.summary, text.doc) && prose(text.summary),
    text.sources && el("p", { class: "small muted wrap" }, "Sources: ", visible(text.sources.join("; "))),
  );
}

function dependencyCard(i, text, names) {
  const found = new Map((text.uses || []).map(([n, times]) => [names[n], times]));
  const rows = obs.deps[i].map((dep) => ({ dep, declared: true, found: found.get(obs.decl[dep]) || 0 }));
  for (const [name, times] of found) {
    const dep = byDecl.get(name);
    if (dep !== undefined && dep !== i && !obs.deps[i].includes(dep)) rows.push({ dep, declared: false, found: times });
  }
  const others = [...found].filter(([name]) => !byDecl.has(name));
  const counted = Boolean(text.uses);
  const columns = [
    {
      title: "Rests on",
      value: (r) => obs.id[r.dep],
      cell: (r) => [mark(stateOf(r.dep)), " ", obLink(r.dep), el("span", { class: "sr" }, ` (${labelOf(r.dep)})`)],
    },
    {
      title: "Declared",
      value: (r) => Number(r.declared),
      cell: (r) => (r.declared ? "yes" : el("b", { class: "s-over-budget" }, "no")),
    },
    {
      title: "In source",
      num: true,
      value: (r) => r.found,
      cell: (r) => (!counted ? "–" : r.found || (r.declared ? el("span", { class: "muted" }, "not by name") : 0)),
    },
  ];
  return card(
    "Dependencies",
    rows.length
      ? table({ caption: "Dependencies", columns }, rows)
      : el("p", { class: "muted" }, "It rests on no other obligation."),
    others.length > 0 &&
      el(
        "details",
        null,
        el("summary", null, `${count(others.length, "name")} outside the catalogue`),
        el(
          "p",
          { class: "mono small wrap" },
          others.map(([name, times]) => [visible(name), ` ×${times}  `]),
        ),
      ),
  );
}

function claimCard(text, names) {
  if (!text.claims) return null;
  const found = new Map((text.uses || []).map(([n, times]) => [names[n], times]));
  const counted = (decl) => found.get(decl) || 0;
  const columns = [
    {
      title: "Claim",
      value: (r) => r.name,
      cell: (r) => [
        el("span", { class: "mono wrap" }, visible(r.name)),
        r.decls.length > 1 ? el("div", { class: "small muted wrap" }, visible(r.decls.join(", "))) : null,
      ],
    },
    { title: "Claimed", num: true, value: (r) => r.claimed, cell: (r) => r.claimed },
    { title: "Counted", num: true, value: (r) => r.counted, cell: (r) => (text.uses ? r.counted : "–") },
    {
      title: "Verdict",
      cell: (r) =>
        !text.uses
          ? ""
          : r.counted === r.claimed
            ? labelled(PROVED, "agrees")
            : labelled(stateWords.get("drifted"), "differs"),
    },
  ];
  const rows = text.claims.map(([name, claimed, decls]) => ({
    name,
    claimed,
    decls,
    counted: decls.reduce((sum, d) => sum + counted(d), 0),
  }));
  return card("Claims against the source", table({ caption: "Claims", columns }, rows));
}

function blastCard(i) {
  const lost = [...above(i).keys()].filter((o) => o !== i);
  const module = obs.module[i];
  const rebuilt = [...within(module, importers).keys()];
  const known = rebuilt.filter((m) => mods.wall[m] !== null);
  const wall = known.reduce((sum, m) => sum + mods.wall[m], 0);
  const nets = new Set(lost.map((o) => obs.net[o]));
  const tops = lost.filter((o) => users[o].length === 0).sort((a, b) => above(b).size - above(a).size);
  const list = (ids) =>
    el(
      "ul",
      { class: "plain" },
      ids.slice(0, 60).map((o) => el("li", null, mark(stateOf(o)), " ", obLink(o))),
      ids.length > 60 && el("li", { class: "muted" }, `and ${ids.length - 60} more`),
    );
  return card(
    "Blast radius",
    el(
      "p",
      null,
      lost.length
        ? `If it breaks, ${count(lost.length, "obligation")} in ${count(nets.size, "group")} can no longer count as proved.`
        : "Nothing else rests on it.",
    ),
    el(
      "p",
      null,
      `An edit of its module rebuilds ${count(rebuilt.length, "module")}: ${showMs(wall)} of Lean`,
      known.length < rebuilt.length ? ` (${rebuilt.length - known.length} not measured)` : "",
      ".",
    ),
    tops.length > 0 && [el("h3", null, "Final results that rest on it"), list(tops)],
    users[i].length > 0 &&
      el("details", null, el("summary", null, `${count(users[i].length, "direct user")}`), list(users[i])),
  );
}

// The label after each run, as a strip of colours with its table.
function labelCard(i, history) {
  const names = history.raw.labelNames;
  const steps = [];
  history.raw.labels.forEach(([who, what], r) => {
    const k = who.indexOf(i);
    if (k >= 0) steps.push([r, names[what[k]]]);
  });
  if (!runs.number.length || !steps.length) return null;
  const ends = [...steps.slice(1).map(([r]) => r), runs.number.length];
  const strip = svg(
    "svg",
    {
      class: "strip",
      viewBox: `0 0 ${runs.number.length} 1`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": "State over the runs; the table below lists its changes",
    },
    steps.map(([r, label], k) =>
      svg(
        "rect",
        { class: `fill-${core.states[stateOfName(label)].key}`, x: r, width: ends[k] - r, height: 1 },
        svg("title", null, `${label}, from ${runName(r)}`),
      ),
    ),
  );
  const columns = [
    { title: "From", value: ([r]) => r, cell: ([r]) => runLink(r) },
    { title: "State", value: ([, label]) => label, cell: ([, label]) => labelled(stateOfName(label), label) },
    { title: "Lean", value: ([r]) => leanVersion(r), cell: ([r]) => visible(leanVersion(r)) },
    { title: "Date", value: ([r]) => runs.start[r], cell: ([r]) => when(runs.start[r]) },
  ];
  return card("State over the runs", strip, table({ caption: "Changes of state", columns }, [...steps].reverse()));
}

function costCharts(title, m, history, budgetWall, budgetMemory) {
  const checks = history.series.get(m) || [];
  if (checks.length < 2) return null;
  const xs = checks.map((c) => String(runs.number[c.r]));
  const bad = checks.map((c) => c.cls);
  const switches = switchesAmong(checks.map((c) => c.r));
  const one = (name, unit, limit, series) => chart({ title: name, unit, xs, xTitle: "run", switches, limit, series });
  return card(
    title,
    one("Time", "ms", budgetWall, [
      { name: "wall", colour: "--series-1", values: checks.map((c) => c.wall), bad },
      { name: "CPU", colour: "--series-2", values: checks.map((c) => c.cpu), dash: "5 3" },
    ]),
    one("Peak memory", "KiB", budgetMemory, [
      { name: "resident", colour: "--series-1", values: checks.map((c) => c.peak), bad },
      { name: "anonymous", colour: "--series-2", values: checks.map((c) => c.anon), dash: "5 3" },
    ]),
  );
}

function budgetText(used, limit, show) {
  return limit
    ? `${show(used)} of ${show(limit)}${used !== null ? ` (${Math.round((100 * used) / limit)} %)` : ""}`
    : null;
}

// What was measured of the declaration itself; a limit of 0 is none.
function headroomText([option, limit, needed, failsAt, failure]) {
  const of = limit ? `${showCount(limit)} ${option} (${showShare(needed / limit)})` : `no limit, ${option}`;
  const below = failsAt ? el("span", { class: "muted" }, `; ${failure} at ${showCount(failsAt)}`) : null;
  return el("div", null, `needs ${showCount(needed)} of ${of}`, below);
}

function profileText([elaboration, kernel, compilation, linting]) {
  return `elaboration ${showMs(elaboration)}, kernel ${showMs(kernel)}, other ${showMs(compilation + linting)}`;
}

function obligationFacts(i, text) {
  const m = obs.module[i];
  const budget = text.budget || [];
  const place = mods.path[m] && sourceLink(mods.path[m], obs.line[i], text.column);
  return card(
    null,
    facts([
      ["why", visible(obs.reasons[obs.reason[i]])],
      [
        "waits for",
        text.blockedBy &&
          text.blockedBy.map((name) => [
            byId.has(name) ? obLink(byId.get(name)) : byModule.has(name) ? modLink(byModule.get(name)) : visible(name),
            " ",
          ]),
      ],
      [
        "in this state since",
        obs.since[i] === null ? null : [runLink(obs.since[i]), ", ", when(runs.start[obs.since[i]])],
      ],
      ["kind", [visible(core.kinds[obs.kind[i]][1]), text.lean ? ` (Lean: ${plain(text.lean)})` : ""]],
      ["net", visible(core.nets[obs.net[i]][1])],
      ["tier", core.tiers[obs.tier[i]][0] && visible(core.tiers[obs.tier[i]][1])],
      ["module", modLink(m)],
      ["source", place],
      ["catalogue", el("span", { class: "mono" }, visible(text.entry))],
      ["older names", text.aliases && el("span", { class: "mono" }, visible(text.aliases.join(", ")))],
      [
        "axioms",
        text.axioms ? el("span", { class: "mono" }, visible(text.axioms.join(", "))) : text.statement ? "none" : null,
      ],
      [
        "statement",
        text.digest && [
          text.unlocked ? "not locked" : "locked",
          ", ",
          el("code", { title: text.digest }, text.digest.slice(0, 12)),
        ],
      ],
      [
        "evidence",
        text.fingerprint && [
          el("code", { title: text.fingerprint }, text.fingerprint.slice(0, 12)),
          ", ",
          when(text.checkedAt),
          ` (${ago(text.checkedAt)})`,
        ],
      ],
      [
        "its module used",
        mods.wall[m] === null
          ? null
          : `wall ${showMs(mods.wall[m])}, CPU ${showMs(mods.cpu[m])}, peak ${showKib(mods.peak[m])}`,
      ],
      ["itself", text.profile ? profileText(text.profile) : el("span", { class: "muted" }, "not profiled")],
      ["headroom", text.headroom ? text.headroom.map(headroomText) : el("span", { class: "muted" }, "not measured")],
      ["wall budget", budgetText(mods.wall[m], budget[0], showMs)],
      ["CPU budget", budgetText(mods.cpu[m], budget[1], showMs)],
      ["memory budget", budgetText(mods.peak[m], budget[2], showKib)],
      ["tags", text.tags && visible(text.tags.join(", "))],
    ]),
  );
}

const obligationView = {
  title: (id) => id,
  async show(section, id) {
    const i = byId.get(id) ?? byDecl.get(id);
    if (i === undefined) return missing(section, "obligation", id);
    const head = el(
      "div",
      null,
      el(
        "h1",
        { tabindex: "-1" },
        labelled(stateOf(i), labelOf(i)),
        " ",
        el("span", { class: "wrap" }, visible(obs.id[i])),
      ),
      el("p", { class: "mono wrap" }, visible(obs.decl[i])),
      el("p", null, el("a", { href: address("graph", null, { focus: obs.id[i] }) }, "Show in the graph")),
    );
    section.replaceChildren(head, el("p", { class: "muted" }, "Unpacking…"));
    const [all, history] = await Promise.all([texts(), past()]);
    const text = all.obligations[i];
    const failure = text.failure && failureCard("Lean says", text.failure, all.advice[text.failure.cls]);
    const old =
      text.past &&
      failureCard("Last failure", text.past[1], null, [
        runLink(byRun.get(text.past[0])),
        ", ",
        when(runs.start[byRun.get(text.past[0])]),
      ]);
    const budget = text.budget || [];
    section.replaceChildren(
      head,
      el(
        "div",
        { class: "columns uneven" },
        el(
          "div",
          { class: "stack" },
          failure,
          statementCard(i, text),
          dependencyCard(i, text, all.names),
          claimCard(text, all.names),
          costCharts("Cost of its module over the runs", obs.module[i], history, budget[0], budget[2]),
          old,
        ),
        el("div", { class: "stack" }, obligationFacts(i, text), blastCard(i), labelCard(i, history)),
      ),
    );
    return undefined;
  },
};

function missing(section, what, name) {
  section.replaceChildren(
    el("h1", { tabindex: "-1" }, `No such ${what}`),
    el("p", { class: "wrap" }, `This report knows no ${what} called `, el("code", null, visible(name || "")), "."),
  );
}
