// The graph of obligations: all of it, or what is around one, or the ways between two.

const RAMP = { light: ["#8fa3b5", "#5b9bd0", "#2f9e8a", "#c58a00", "#c0341d"], dark: ["#71818f", "#5b9bd0", "#4cc0a8", "#e8b93c", "#ff8170"] };
const COLOURINGS = [["state", "State"], ["wall", "Wall time of its module"], ["peak", "Peak memory of its module"], ["budget", "Share of budget used"]];
const DEPTHS = [["0", "none"], ["1", "1 step"], ["2", "2 steps"], ["3", "3 steps"], ["5", "5 steps"], ["all", "all"]];
const spareEdges = new Set(core.spare.map(([a, b]) => a * OBLIGATIONS + b));

function graphTheme() {
  return { bg: colour("--bg"), lane: colour("--faint"), ink: colour("--ink"), muted: colour("--muted"), edge: colour("--muted"), accent: colour("--accent") };
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
  const focus = find(query.focus), from = find(query.from), to = find(query.to);
  let nodes = obs.id.map((_, i) => i), columns = null, route = null;
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
  const value = { wall: (i) => mods.wall[m(i)], peak: (i) => mods.peak[m(i)], budget: (i) => budgetShare(m(i)) }[kind];
  const limits = { wall: [1000, 5000, 20000, 60000], peak: [512 * 1024, 1024 ** 2, 2 * 1024 ** 2, 8 * 1024 ** 2], budget: [0.25, 0.5, 0.8, 1] }[kind];
  const show = { wall: showMs, peak: showKib, budget: showShare }[kind];
  const ramp = RAMP[document.documentElement.dataset.theme] || RAMP.light;
  const step = (v) => (v === null ? null : limits.findIndex((limit) => v <= limit));
  const names = limits.map((limit, k) => (k === 0 ? `up to ${show(limit)}` : `${show(limits[k - 1])} to ${show(limit)}`)).concat(`over ${show(limits.at(-1))}`);
  return {
    of: (i) => { const s = step(value(i)); return s === null ? colour("--none") : ramp[s < 0 ? 4 : s]; },
    legend: names.map((name, k) => [ramp[k], name]).concat([[colour("--none"), "not known"]]),
  };
}

const graphView = {
  title: () => "Graph",
  show(section, _argument, query, go) {
    return new GraphPage(section, query, go).start();
  },
};

class GraphPage {
  constructor(section, query, go) {
    this.query = query;
    this.go = go;
    this.picked = find(query.pick ?? query.focus);
    this.canvas = el("canvas", {
      tabindex: "0", role: "application", "aria-roledescription": "graph",
      "aria-label": "Graph of obligations. Arrow keys walk along edges, plus and minus zoom, 0 shows all, Enter opens, F focuses, Escape goes back.",
    });
    this.hover = el("div", { class: "hover", "aria-hidden": "true", hidden: true });
    this.panel = el("aside", { "aria-label": "Graph options and selection" });
    const button = (text, name, act) => el("button", { type: "button", class: "icon", "aria-label": name, onclick: act }, text);
    section.replaceChildren(el("h1", { class: "sr", tabindex: "-1" }, "Graph"), el("div", { class: "graph" },
      el("div", { class: "stage" }, this.canvas, this.hover, el("div", { class: "zoom" },
        button("+", "Zoom in", () => this.stage.zoom(1.3)), button("−", "Zoom out", () => this.stage.zoom(1 / 1.3)), button("Fit", "Show all", () => { this.stage.fit(); this.remember(); }))),
      this.panel));
  }

  start() {
    this.stage = makeStage(this.canvas, {
      onPick: (i) => this.pick(i), onHover: (i, x, y) => this.point(i, x, y), onMove: () => this.remember(), onKey: (e) => this.key(e),
    });
    this.repaint = (mode) => {
      const kept = document.documentElement.dataset.theme;
      if (mode === "print") document.documentElement.dataset.theme = "light";
      this.paint();
      document.documentElement.dataset.theme = kept;
    };
    themeListeners.push(this.repaint);
    this.load();
    return () => {
      themeListeners.splice(themeListeners.indexOf(this.repaint), 1);
      this.stage.end();
    };
  }

  async load() {
    this.labels = null;
    if (this.query.run && byRun.has(Number(this.query.run))) {
      const history = await past();
      this.labels = labelsAfter(history, byRun.get(Number(this.query.run)));
    }
    this.scene = graphScene(this.query);
    this.stage.setScene(this.scene);
    this.paint(false);
    const at = (this.query.at || "").split(",").map(Number);
    if (at.length === 3 && at.every(Number.isFinite) && at[0] > 0) {
      // The view is kept by its centre, so that it means the same on a screen of another size.
      this.stage.view.k = at[0];
      this.stage.view.x = this.canvas.clientWidth / 2 - at[1] * at[0];
      this.stage.view.y = this.canvas.clientHeight / 2 - at[2] * this.stage.stretch() * at[0];
      this.stage.draw();
    } else this.stage.fit();
    this.stage.pick(this.picked);
    this.canvas.dataset.ready = "true";
  }

  label(i) { return this.labels ? this.labels[i] : labelOf(i); }

  state(i) { return this.labels ? stateOfName(this.labels[i]) : stateOf(i); }

  paint(draw = true) {
    const kind = this.query.colour || "state";
    const stateColours = core.states.map((s) => colour(`--${s.key}`));
    const costs = kind === "state" ? null : costColours(kind);
    const scene = this.scene;
    const near = this.picked === null || scene.route ? null : new Set([this.picked, ...obs.deps[this.picked], ...users[this.picked]]);
    const whole = scene.nodes.length === OBLIGATIONS;
    let strong = [];
    if (scene.route) strong = scene.route.way.slice(1).map((b, k) => [scene.route.way[k], b]);
    else if (this.picked !== null) strong = scene.edges.filter(([a, b]) => a === this.picked || b === this.picked);
    this.stage.setPaint({
      theme: graphTheme(), states: (i) => this.state(i), colours: costs ? costs.of : (i) => stateColours[this.state(i)],
      dim: near && whole ? (i) => !near.has(i) : () => false, someDim: Boolean(near && whole), strong,
    });
    this.fillPanel(costs);
    if (draw) this.stage.draw();
  }

  pick(i) {
    this.picked = i;
    this.query.pick = i === null ? "" : obs.id[i];
    this.remember();
    this.paint(false);
    this.stage.pick(i);
    if (i !== null) say(`${obs.id[i]}, ${this.label(i)}; rests on ${obs.deps[i].length}, used by ${users[i].length}`);
  }

  point(i, x, y) {
    this.hover.hidden = i === null;
    this.canvas.style.cursor = i === null ? "" : "pointer";
    if (i === null) return;
    this.hover.replaceChildren(visible(obs.id[i]), el("br"), this.label(i));
    this.hover.style.left = `${Math.min(x + 14, this.canvas.clientWidth - 180)}px`;
    this.hover.style.top = `${y + 14}px`;
  }

  remember() {
    const { k, x, y } = this.stage.view;
    const centre = [(this.canvas.clientWidth / 2 - x) / k, (this.canvas.clientHeight / 2 - y) / k / this.stage.stretch()];
    this.query.at = `${k.toFixed(4)},${centre.map(Math.round).join(",")}`;
    this.go(this.query);
  }

  // Another scene is another entry in the browser's history.
  change(more) {
    this.go({ ...this.query, at: "", ...more }, true);
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return false;
    if (e.key === "Escape") {
      if (this.scene.focus !== null || this.scene.route) this.change({ focus: "", from: "", to: "" });
      else this.pick(null);
      return true;
    }
    if (this.picked === null || e.shiftKey) return false;
    if (e.key === "Enter") { location.hash = address("o", obs.id[this.picked]); return true; }
    if (e.key === "f" || e.key === "F") { this.change({ focus: obs.id[this.picked], from: "", to: "" }); return true; }
    const next = this.neighbour(e.key);
    if (next === undefined) return false;
    if (next !== null) { this.pick(next); this.stage.reveal(next); }
    return true;
  }

  neighbour(key) {
    const inside = new Set(this.scene.nodes), i = this.picked;
    const closest = (list) => list.filter((o) => inside.has(o)).sort((a, b) => this.far(a) - this.far(b))[0] ?? null;
    if (key === "ArrowLeft") return closest(obs.deps[i]);
    if (key === "ArrowRight") return closest(users[i]);
    if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
    const sign = key === "ArrowUp" ? -1 : 1;
    return closest(this.scene.nodes.filter((o) => this.scene.x(o) === this.scene.x(i) && sign * (this.scene.y(o) - this.scene.y(i)) > 0));
  }

  far(o) {
    return Math.abs(this.scene.y(o) - this.scene.y(this.picked)) + 3 * Math.abs(this.scene.x(o) - this.scene.x(this.picked));
  }

  fillPanel(costs) {
    const active = document.activeElement?.getAttribute("aria-label");
    this.panel.replaceChildren(...[this.notes(), this.controls(), this.selection(), this.legend(costs), this.help()].flat().filter(Boolean));
    if (active && document.activeElement === document.body) $(`[aria-label="${CSS.escape(active)}"]`, this.panel)?.focus();
  }

  notes() {
    const found = [];
    const scene = this.scene;
    found.push(el("p", { class: "muted", role: "status" }, scene.nodes.length === OBLIGATIONS ? count(OBLIGATIONS, "obligation") : `${scene.nodes.length} of ${count(OBLIGATIONS, "obligation")}`, `, ${count(scene.edges.length, "edge")}`));
    if (this.labels) found.push(el("p", { class: "notice" }, `States after run ${plain(this.query.run)}. `, el("a", { href: address("graph", null, { ...this.query, run: "" }) }, "Back to now")));
    for (const name of ["focus", "from", "to"]) {
      if (this.query[name] && scene[name] === null) found.push(el("p", { class: "notice" }, "No obligation is called ", el("code", null, visible(this.query[name])), "."));
    }
    if (scene.from !== null && scene.to !== null && !scene.route) found.push(el("p", { class: "notice" }, "Neither rests on the other."));
    if (scene.route) {
      found.push(el("div", null, el("h2", null, `A shortest way, ${count(scene.route.way.length - 1, "step")}`),
        el("ol", null, scene.route.way.map((i) => el("li", null, mark(this.state(i)), " ", obLink(i)))),
        el("p", { class: "small muted" }, `${scene.route.on.size} obligations lie on some way.`)));
    }
    return found;
  }

  controls() {
    const q = this.query;
    const input = (name, label) => [el("label", { for: `g-${name}` }, label),
      el("input", { id: `g-${name}`, type: "text", value: q[name] || "", list: "g-ids", spellcheck: "false", placeholder: "id or declaration", onchange: (e) => {
        const i = find(e.target.value.trim());
        this.change({ [name]: i === null ? e.target.value.trim() : obs.id[i], ...(name === "focus" ? { from: "", to: "" } : { focus: "" }) });
      } })];
    const select = (name, label, choices, otherwise) => [el("label", { for: `g-${name}` }, label),
      el("select", { id: `g-${name}`, onchange: (e) => this.change({ [name]: e.target.value, at: name === "colour" ? q.at : "" }) },
        choices.map(([key, title]) => el("option", { value: key, selected: key === (q[name] || otherwise) }, title)))];
    const spare = el("input", { id: "g-spare", type: "checkbox", checked: q.spare === "shown", onchange: (e) => this.change({ spare: e.target.checked ? "shown" : "", at: q.at }) });
    return el("div", null,
      el("div", { class: "field" }, select("colour", "Colour", COLOURINGS, "state"), input("focus", "Focus"),
        this.scene.focus !== null ? [select("down", "Rests on", DEPTHS, "2"), select("up", "Used by", DEPTHS, "2")] : [],
        input("from", "Way from"), input("to", "to")),
      el("p", null, el("label", null, spare, "Edges that a longer way makes too")),
      ids());
  }

  selection() {
    const i = this.picked;
    if (i === null) return null;
    const m = obs.module[i];
    const list = (title, ids) => ids.length > 0 && el("details", { open: ids.length <= 8 }, el("summary", null, `${title} ${ids.length}`),
      el("ul", { class: "plain small" }, ids.slice(0, 80).map((o) => el("li", null, mark(this.state(o)), " ", el("a", { class: "wrap", href: "#/graph", onclick: (e) => { e.preventDefault(); this.pick(o); this.stage.reveal(o); } }, visible(obs.id[o])))), ids.length > 80 && el("li", null, `and ${ids.length - 80} more`)));
    return el("div", { class: "selection" }, el("h2", null, labelled(this.state(i), this.label(i)), " ", el("span", { class: "wrap" }, visible(obs.id[i]))),
      el("p", { class: "mono small wrap" }, visible(obs.decl[i])),
      obs.reasons[obs.reason[i]] && el("p", { class: "small wrap" }, visible(obs.reasons[obs.reason[i]])),
      el("p", { class: "small muted" }, `its module: ${showMs(mods.wall[m])}, ${showKib(mods.peak[m])}`),
      el("p", { class: "row" }, el("a", { href: address("o", obs.id[i]) }, "Open"), this.scene.focus !== i && el("a", { href: address("graph", null, { ...this.query, at: "", focus: obs.id[i], from: "", to: "" }) }, "Focus"),
        el("a", { href: address("graph", null, { ...this.query, at: "", from: obs.id[i], focus: "" }) }, "Way from here"), el("a", { href: address("graph", null, { ...this.query, at: "", to: obs.id[i], focus: "" }) }, "Way to here")),
      list("Rests on", obs.deps[i]), list("Used by", users[i]));
  }

  legend(costs) {
    const here = core.states.map((_, s) => s).filter((s) => this.scene.nodes.some((i) => this.state(i) === s));
    return el("div", null, el("h2", null, "Legend"), el("ul", { class: "plain small" }, here.map((s) => el("li", null, costs ? el("span", { class: "muted" }, mark(s)) : mark(s), ` ${core.states[s].word}`))),
      costs && el("ul", { class: "plain small" }, costs.legend.map(([fill_, name]) => el("li", null, svg("svg", { class: "mark", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("rect", { width: 16, height: 16, fill: fill_ })), ` ${name}`))));
  }

  help() {
    return [el("p", { class: "small" }, el("a", { href: address("obligations") }, "The same as a table")),
      el("details", { class: "small" }, el("summary", null, "Keys"), el("p", null, "Arrows walk along edges from the selected node, or move the view when none is selected or with Shift. + and − zoom, 0 shows all, Enter opens, F focuses, Escape goes back, / searches."))];
  }
}

let idList = null;
function ids() {
  idList ||= el("datalist", { id: "g-ids" }, obs.id.map((id) => el("option", { value: id })));
  return idList;
}
