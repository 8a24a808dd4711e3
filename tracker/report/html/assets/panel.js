// Beside the graph: what can be chosen, what is selected, what the colours mean.

Object.assign(GraphPage.prototype, {
  notes() {
    const found = [];
    const scene = this.scene;
    found.push(
      el(
        "p",
        { class: "muted", role: "status" },
        scene.nodes.length === OBLIGATIONS
          ? count(OBLIGATIONS, "obligation")
          : `${scene.nodes.length} of ${count(OBLIGATIONS, "obligation")}`,
        `, ${count(scene.edges.length, "edge")}`,
      ),
    );
    if (this.labels)
      found.push(
        el(
          "p",
          { class: "notice" },
          `States after run ${plain(this.query.run)}. `,
          el("a", { href: address("graph", null, { ...this.query, run: "" }) }, "Back to now"),
        ),
      );
    for (const name of ["focus", "from", "to"]) {
      if (this.query[name] && scene[name] === null)
        found.push(
          el("p", { class: "notice" }, "No obligation is called ", el("code", null, visible(this.query[name])), "."),
        );
    }
    if (scene.from !== null && scene.to !== null && !scene.route)
      found.push(el("p", { class: "notice" }, "Neither rests on the other."));
    if (scene.route) {
      found.push(
        el(
          "div",
          null,
          el("h2", null, `A shortest way, ${count(scene.route.way.length - 1, "step")}`),
          el(
            "ol",
            null,
            scene.route.way.map((i) => el("li", null, mark(this.state(i)), " ", obLink(i))),
          ),
          el("p", { class: "small muted" }, `${count(scene.route.on.size, "obligation")} on some way.`),
        ),
      );
    }
    return found;
  },

  controls() {
    const q = this.query;
    const input = (name, label) => [
      el("label", { for: `g-${name}` }, label),
      el("input", {
        id: `g-${name}`,
        type: "text",
        value: q[name] || "",
        list: "g-ids",
        spellcheck: "false",
        placeholder: "id or declaration",
        onchange: (e) => {
          const i = find(e.target.value.trim());
          this.change({
            [name]: i === null ? e.target.value.trim() : obs.id[i],
            ...(name === "focus" ? { from: "", to: "" } : { focus: "" }),
          });
        },
      }),
    ];
    const select = (name, label, choices, otherwise) => [
      el("label", { for: `g-${name}` }, label),
      el(
        "select",
        {
          id: `g-${name}`,
          onchange: (e) => this.change({ [name]: e.target.value, at: name === "colour" ? q.at : "" }),
        },
        choices.map(([key, title]) => el("option", { value: key, selected: key === (q[name] || otherwise) }, title)),
      ),
    ];
    const spare = el("input", {
      id: "g-spare",
      type: "checkbox",
      checked: q.spare === "shown",
      onchange: (e) => this.change({ spare: e.target.checked ? "shown" : "", at: q.at }),
    });
    return el(
      "div",
      null,
      el(
        "div",
        { class: "field" },
        select("colour", "Colour", COLOURINGS, "state"),
        input("focus", "Focus"),
        this.scene.focus !== null
          ? [select("down", "Rests on", DEPTHS, "2"), select("up", "Used by", DEPTHS, "2")]
          : [],
        input("from", "Way from"),
        input("to", "to"),
      ),
      el("p", null, el("label", null, spare, "Edges that a longer way makes too")),
      ids(),
    );
  },

  selection() {
    const i = this.picked;
    if (i === null) return null;
    const m = obs.module[i];
    const list = (title, ids) =>
      ids.length > 0 &&
      el(
        "details",
        { open: ids.length <= 8 },
        el("summary", null, `${title} ${ids.length}`),
        el(
          "ul",
          { class: "plain small" },
          ids.slice(0, 80).map((o) =>
            el(
              "li",
              null,
              mark(this.state(o)),
              " ",
              el(
                "a",
                {
                  class: "wrap",
                  href: "#/graph",
                  onclick: (e) => {
                    e.preventDefault();
                    this.pick(o);
                    this.stage.reveal(o);
                  },
                },
                visible(obs.id[o]),
              ),
            ),
          ),
          ids.length > 80 && el("li", null, `and ${ids.length - 80} more`),
        ),
      );
    return el(
      "div",
      { class: "selection" },
      el("h2", null, labelled(this.state(i), this.label(i)), " ", el("span", { class: "wrap" }, visible(obs.id[i]))),
      el("p", { class: "mono small wrap" }, visible(obs.decl[i])),
      obs.reasons[obs.reason[i]] && el("p", { class: "small wrap" }, visible(obs.reasons[obs.reason[i]])),
      el("p", { class: "small muted" }, `its module: ${showMs(mods.wall[m])}, ${showKib(mods.peak[m])}`),
      limitUse(i) !== null && el("p", { class: "small muted" }, `needs ${showShare(limitUse(i))} of its nearest limit`),
      el(
        "p",
        { class: "row" },
        el("a", { href: address("o", obs.id[i]) }, "Open"),
        this.scene.focus !== i &&
          el(
            "a",
            { href: address("graph", null, { ...this.query, at: "", focus: obs.id[i], from: "", to: "" }) },
            "Focus",
          ),
        el(
          "a",
          { href: address("graph", null, { ...this.query, at: "", from: obs.id[i], focus: "" }) },
          "Way from here",
        ),
        el("a", { href: address("graph", null, { ...this.query, at: "", to: obs.id[i], focus: "" }) }, "Way to here"),
      ),
      list("Rests on", obs.deps[i]),
      list("Used by", users[i]),
    );
  },

  legend(costs) {
    const here = core.states.map((_, s) => s).filter((s) => this.scene.nodes.some((i) => this.state(i) === s));
    return el(
      "div",
      null,
      el("h2", null, costs ? "Shape: state" : "Legend"),
      el(
        "ul",
        { class: "plain small" },
        here.map((s) =>
          el("li", null, mark(s, costs !== null), ` ${core.states[s].word}`),
        ),
      ),
      costs && el("h2", null, `Colour: ${costs.title}`),
      costs?.note && el("p", { class: "small muted" }, costs.note),
      costs &&
        el(
          "ul",
          { class: "plain small" },
          costs.legend.map(([fill_, name]) =>
            el(
              "li",
              null,
              svg(
                "svg",
                { class: "mark", viewBox: "0 0 16 16", "aria-hidden": "true" },
                svg("rect", { width: 16, height: 16, fill: fill_ }),
              ),
              ` ${name}`,
            ),
          ),
        ),
    );
  },

  help() {
    return [
      el("p", { class: "small" }, el("a", { href: address("obligations") }, "The same as a table")),
      el(
        "details",
        { class: "small" },
        el("summary", null, "Keys"),
        el(
          "p",
          null,
          "Arrows walk along edges from the selected node, or move the view when none is selected or with Shift. + and − zoom, 0 shows all, Enter opens, F focuses, Escape goes back, / searches.",
        ),
      ),
    ];
  },
});

let idList = null;
function ids() {
  idList ||= el(
    "datalist",
    { id: "g-ids" },
    obs.id.map((id) => el("option", { value: id })),
  );
  return idList;
}
