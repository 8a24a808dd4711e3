// All obligations in one table, filtered by what the address says.

const FILTERS = ["text", "state", "net", "kind", "tier", "family", "module"];

function matching(query) {
  const words = (query.text || "").toLowerCase().split(/\s+/).filter(Boolean);
  const family = query.family ? core.families.find((f) => f.id === query.family) : null;
  const members = family ? new Set(family.members) : null;
  const state = query.state ? core.states.findIndex((s) => s.key === query.state) : -1;
  const number = (table, name) => table.findIndex(([key]) => key === (name === "-" ? "" : name));
  const net = query.net ? number(core.nets, query.net) : -1;
  const kind = query.kind ? number(core.kinds, query.kind) : -1;
  const tier = query.tier ? number(core.tiers, query.tier) : -1;
  const module = query.module ? byModule.get(query.module) : -1;
  const found = [];
  for (let i = 0; i < OBLIGATIONS; i += 1) {
    if (query.state && stateOf(i) !== state) continue;
    if (query.net && obs.net[i] !== net) continue;
    if (query.kind && obs.kind[i] !== kind) continue;
    if (query.tier && obs.tier[i] !== tier) continue;
    if (query.module && obs.module[i] !== module) continue;
    if (query.family && !(members && members.has(i))) continue;
    if (words.length) {
      const hay =
        `${obs.id[i]} ${obs.decl[i]} ${mods.name[obs.module[i]]} ${labelOf(i)} ${obs.reasons[obs.reason[i]]}`.toLowerCase();
      if (!words.every((word) => hay.includes(word))) continue;
    }
    found.push(i);
  }
  return found;
}

function obligationColumns() {
  return [
    {
      title: "Obligation",
      value: (i) => obs.id[i],
      cell: (i) => [obLink(i), el("br"), el("span", { class: "mono muted small wrap" }, visible(obs.decl[i]))],
    },
    { title: "State", value: (i) => stateOf(i), cell: (i) => labelled(stateOf(i), labelOf(i)) },
    { title: "Net", value: (i) => core.nets[obs.net[i]][1], cell: (i) => visible(core.nets[obs.net[i]][1]) },
    { title: "Kind", value: (i) => obs.kind[i], cell: (i) => visible(core.kinds[obs.kind[i]][1]) },
    {
      title: "Tier",
      value: (i) => core.tiers[obs.tier[i]][0],
      cell: (i) => visible(core.tiers[obs.tier[i]][0] || "–"),
    },
    { title: "Wall", num: true, value: (i) => mods.wall[obs.module[i]], cell: (i) => showMs(mods.wall[obs.module[i]]) },
    {
      title: "Peak",
      num: true,
      value: (i) => mods.peak[obs.module[i]],
      cell: (i) => showKib(mods.peak[obs.module[i]]),
    },
    { title: "Used by", num: true, value: (i) => users[i].length, cell: (i) => users[i].length },
    {
      title: "Since",
      num: true,
      value: (i) => obs.since[i],
      cell: (i) => (obs.since[i] === null ? "–" : runLink(obs.since[i])),
    },
    ...(MEASURED
      ? [{ title: "Of limit", num: true, value: limitUse, cell: (i) => showShare(limitUse(i)) }]
      : []),
    {
      title: "Why",
      wrap: true,
      value: (i) => obs.reasons[obs.reason[i]],
      cell: (i) => el("span", { class: "small" }, visible(obs.reasons[obs.reason[i]])),
    },
  ];
}

const obligationsView = {
  title: () => "Obligations",
  show(section, _argument, query, go) {
    const [column, down] = (query.sort || "").split(".");
    const made = makeTable({
      caption: "Obligations",
      columns: obligationColumns(),
      sort: query.sort ? { column: Number(column), down: down === "down" } : null,
      onSort: (sort) => {
        query.sort = `${sort.column}.${sort.down ? "down" : "up"}`;
        go(query);
      },
    });
    const tally = el("p", { class: "muted", role: "status" });
    const set = (name) => (value) => {
      query[name] = value;
      go(query);
      draw();
    };
    const used = (column_, table_) =>
      table_
        .map((entry, i) => [entry, i])
        .filter(([, i]) => obs[column_].includes(i))
        .map(([[key, title]]) => [key || "-", title]);
    const states = core.states.filter((_, i) => obs.id.some((_id, o) => stateOf(o) === i)).map((s) => [s.key, s.word]);
    function draw() {
      const found = matching(query);
      const proved = found.filter((i) => stateOf(i) === PROVED).length;
      tally.textContent = `${found.length} of ${count(OBLIGATIONS, "obligation")}, ${proved} proved`;
      made.show(found);
    }
    const fields = [
      field("Text", query.text || "", null, set("text")),
      field("State", query.state, states, set("state")),
      field("Net", query.net, used("net", core.nets), set("net")),
      field("Kind", query.kind, used("kind", core.kinds), set("kind")),
      field("Tier", query.tier, used("tier", core.tiers), set("tier")),
      core.families.length
        ? field(
            "Family",
            query.family,
            core.families.map((f) => [f.id, f.title]),
            set("family"),
          )
        : null,
    ];
    const reset = el("button", { type: "button", onclick: () => go({}, true) }, "Clear");
    const from = query.module
      ? el("p", null, "In module ", modLink(byModule.get(query.module) ?? 0, query.module), ".")
      : null;
    section.replaceChildren(
      el("h1", { tabindex: "-1" }, "Obligations"),
      el("div", { class: "row filters" }, fields, reset),
      ...[from].filter(Boolean),
      tally,
      el("div", { class: "card" }, made.node),
    );
    draw();
  },
};
