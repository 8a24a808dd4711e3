// Modules: what each costs against its budget, and one module's own page.

const MODULE_STATES = ["failed", "passed", "passed, for other sources", "failed, for other sources"];

function moduleState(m) {
  const state = mods.state[m];
  if (state === null) return labelled(stateWords.get("unchecked"), "unchecked");
  const look = ["failed", "proved", "obsolete", "obsolete"][state];
  return labelled(stateWords.get(look), MODULE_STATES[state]);
}

const modulesView = {
  title: () => "Modules",
  async show(section, _argument, query, go) {
    const columns = [
      { title: "Module", value: (m) => mods.name[m], cell: (m) => modLink(m) },
      { title: "State", value: (m) => mods.state[m], cell: moduleState },
      { title: "Wall", num: true, value: (m) => mods.wall[m], cell: (m) => showMs(mods.wall[m]) },
      { title: "CPU", num: true, value: (m) => mods.cpu[m], cell: (m) => showMs(mods.cpu[m]) },
      { title: "Peak", num: true, value: (m) => mods.peak[m], cell: (m) => showKib(mods.peak[m]) },
      {
        title: "Of budget",
        num: true,
        value: budgetShare,
        cell: (m) => {
          const s = budgetShare(m);
          return el("span", { class: s > 1 ? "s-over-budget" : null }, showShare(s), s > 1 ? " over" : "");
        },
      },
      { title: "Imported by", num: true, value: (m) => importers[m].length, cell: (m) => importers[m].length },
      {
        title: "Obligations",
        num: true,
        value: (m) => inModule[m].length,
        cell: (m) =>
          inModule[m].length
            ? el("a", { href: address("obligations", null, { module: mods.name[m] }) }, String(inModule[m].length))
            : 0,
      },
    ];
    const made = makeTable({ caption: "Modules", columns, sort: { column: 2, down: true } });
    const tally = el("p", { class: "muted", role: "status" });
    const draw = () => {
      const words = (query.text || "").toLowerCase().split(/\s+/).filter(Boolean);
      const found = mods.name
        .map((_, m) => m)
        .filter((m) => words.every((w) => mods.name[m].toLowerCase().includes(w)));
      const wall = found.reduce((sum, m) => sum + (mods.wall[m] || 0), 0);
      tally.textContent = `${count(found.length, "module")}, together ${showMs(wall)} of wall time`;
      made.show(found);
    };
    const filter = field("Text", query.text || "", null, (value) => {
      query.text = value;
      go(query);
      draw();
    });
    section.replaceChildren(
      el("h1", { tabindex: "-1" }, "Modules"),
      el("div", { class: "row filters" }, filter),
      tally,
      el("div", { class: "card" }, made.node),
    );
    draw();
  },
};

function curveCard(m, name, history, check) {
  const curves = history.raw.curves[String(history.names.indexOf(name))] || [];
  if (!curves.length) return null;
  const charts = curves.map(([r, at, rss, anon]) => {
    const longest = at.at(-1) || 1;
    const series = [{ name: "resident", colour: "--series-1", values: rss }];
    if (anon.length) series.push({ name: "anonymous", colour: "--series-2", values: anon, dash: "5 3" });
    const high = Math.max(...rss);
    const limit = check && check.memoryLimit && check.memoryLimit < high * 3 ? check.memoryLimit : null;
    return chart({
      title: `Memory in ${runName(r)}, Lean ${leanVersion(r)}`,
      unit: "KiB",
      xs: at.map(showMs),
      xTitle: "after",
      series,
      limit,
      positions: at.map((t) => t / longest),
    });
  });
  return card("Memory while Lean ran", charts);
}

function messagesCard(check) {
  if (!check || !check.messages.length) return null;
  return card(
    "Messages of the newest check",
    check.messages.map(([severity, text, line, declaration]) =>
      el(
        "div",
        { class: "cause" },
        el(
          "p",
          null,
          el(
            "b",
            { class: severity === "error" ? "s-failed" : severity === "warning" ? "s-over-budget" : "muted" },
            severity,
          ),
          line ? `, line ${line}` : "",
          declaration ? [", ", el("span", { class: "mono wrap" }, visible(declaration))] : "",
        ),
        el("pre", { tabindex: "0", "aria-label": severity }, visible(text)),
      ),
    ),
    check.more ? el("p", { class: "muted" }, `and ${check.more} more`) : null,
  );
}

const MOST_MEMBERS = 100;

const moduleView = {
  title: (name) => name,
  async show(section, name) {
    const m = byModule.get(name);
    section.replaceChildren(el("p", { class: "muted" }, "Unpacking…"));
    const [all, history] = await Promise.all([texts(), past()]);
    const pastIndex = history.names.indexOf(name);
    if (m === undefined && pastIndex < 0) return missing(section, "module", name);
    const check = m === undefined ? null : all.modules[m];
    const members = m === undefined ? [] : inModule[m];
    const rebuilt = m === undefined ? [] : [...within(m, importers).keys()];
    const wall = rebuilt.reduce((sum, k) => sum + (mods.wall[k] || 0), 0);
    const links = (list) => (list.length ? list.map((k) => [modLink(k), " "]) : "none");
    const ending =
      check &&
      (check.limit
        ? `stopped: ${check.limit} limit`
        : check.signal
          ? `signal ${check.signal}`
          : `exit code ${check.exit ?? "unknown"}`);
    const info =
      m === undefined
        ? el("p", null, "It has left the project.")
        : facts([
            ["state", moduleState(m)],
            ["source", mods.path[m] && sourceLink(mods.path[m])],
            ["ended with", ending],
            [
              "used",
              mods.wall[m] === null
                ? null
                : `wall ${showMs(mods.wall[m])}, CPU ${showMs(mods.cpu[m])}, peak ${showKib(mods.peak[m])}`,
            ],
            ["wall budget", budgetText(mods.wall[m], mods.budgetWall[m], showMs)],
            ["CPU budget", budgetText(mods.cpu[m], mods.budgetCpu[m], showMs)],
            ["memory budget", budgetText(mods.peak[m], mods.budgetMemory[m], showKib)],
            [
              "evidence",
              check && [
                el("code", { title: check.fingerprint }, check.fingerprint.slice(0, 12)),
                ", ",
                when(check.checkedAt),
                ` (${ago(check.checkedAt)})`,
              ],
            ],
            ["imports", links(mods.imports[m])],
            ["imported by", links(importers[m])],
            ["an edit rebuilds", `${count(rebuilt.length, "module")}, ${showMs(wall)} of Lean`],
          ]);
    const failures = check
      ? check.failures.map((f) => failureCard(f.cause ? "Consequence" : "Lean says", f, all.advice[f.cls]))
      : [];
    section.replaceChildren(
      el("h1", { tabindex: "-1" }, visible(name)),
      el(
        "div",
        { class: "columns uneven" },
        el(
          "div",
          { class: "stack" },
          failures,
          costCharts(
            "Cost over the runs",
            pastIndex,
            history,
            m === undefined ? null : mods.budgetWall[m],
            m === undefined ? null : mods.budgetMemory[m],
          ),
          curveCard(m, name, history, check),
          messagesCard(check),
        ),
        el(
          "div",
          { class: "stack" },
          card(null, info),
          members.length > 0 &&
            card(
              "Obligations in it",
              el(
                "ul",
                { class: "plain" },
                members.slice(0, MOST_MEMBERS).map((i) => el("li", null, labelled(stateOf(i), labelOf(i)), " ", obLink(i))),
              ),
              members.length > MOST_MEMBERS &&
                el("p", null, el("a", { href: address("obligations", null, { module: mods.name[m] }) }, `all ${members.length}`)),
            ),
        ),
      ),
    );
    return undefined;
  },
};
