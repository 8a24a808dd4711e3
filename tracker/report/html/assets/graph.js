// The graph of obligations: all of it, or what is around one, or the ways between two.

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
      tabindex: "0",
      role: "application",
      "aria-roledescription": "graph",
      "aria-label":
        "Graph of obligations. Arrow keys walk along edges, plus and minus zoom, 0 shows all, Enter opens, F focuses, Escape goes back.",
    });
    this.hover = el("div", { class: "hover", "aria-hidden": "true", hidden: true });
    this.panel = el("aside", { "aria-label": "Graph options and selection" });
    const button = (text, name, act) =>
      el("button", { type: "button", class: "icon", "aria-label": name, onclick: act }, text);
    section.replaceChildren(
      el("h1", { class: "sr", tabindex: "-1" }, "Graph"),
      el(
        "div",
        { class: "graph" },
        el(
          "div",
          { class: "stage" },
          this.canvas,
          this.hover,
          el(
            "div",
            { class: "zoom" },
            button("+", "Zoom in", () => this.stage.zoom(1.3)),
            button("−", "Zoom out", () => this.stage.zoom(1 / 1.3)),
            button("Fit", "Show all", () => {
              this.stage.fit();
              this.remember();
            }),
          ),
        ),
        this.panel,
      ),
    );
  }

  start() {
    this.stage = makeStage(this.canvas, {
      onPick: (i) => this.pick(i),
      onHover: (i, x, y) => this.point(i, x, y),
      onMove: () => this.remember(),
      onKey: (e) => this.key(e),
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
      const [across, down] = this.stage.unit();
      this.stage.view.k = at[0];
      this.stage.view.x = this.canvas.clientWidth / 2 - at[1] * across * at[0];
      this.stage.view.y = this.canvas.clientHeight / 2 - at[2] * down * at[0];
      this.stage.draw();
    } else this.stage.fit();
    this.stage.pick(this.picked);
    this.canvas.dataset.ready = "true";
  }

  label(i) {
    return this.labels ? this.labels[i] : labelOf(i);
  }

  state(i) {
    return this.labels ? stateOfName(this.labels[i]) : stateOf(i);
  }

  paint(draw = true) {
    const kind = COLOURINGS.find(([key]) => key === this.query.colour)?.[0] || "state";
    const stateColours = core.states.map((s) => colour(`--${s.key}`));
    const costs = kind === "state" ? null : costColours(kind);
    const scene = this.scene;
    const near =
      this.picked === null || scene.route
        ? null
        : new Set([this.picked, ...obs.deps[this.picked], ...users[this.picked]]);
    const whole = scene.nodes.length === OBLIGATIONS;
    let strong = [];
    if (scene.route) strong = scene.route.way.slice(1).map((b, k) => [scene.route.way[k], b]);
    else if (this.picked !== null) strong = scene.edges.filter(([a, b]) => a === this.picked || b === this.picked);
    this.stage.setPaint({
      theme: graphTheme(),
      states: (i) => this.state(i),
      colours: costs ? costs.of : (i) => stateColours[this.state(i)],
      dim: near && whole ? (i) => !near.has(i) : () => false,
      someDim: Boolean(near && whole),
      strong,
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
    const [across, down] = this.stage.unit();
    const centre = [(this.canvas.clientWidth / 2 - x) / k / across, (this.canvas.clientHeight / 2 - y) / k / down];
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
    if (e.key === "Enter") {
      location.hash = address("o", obs.id[this.picked]);
      return true;
    }
    if (e.key === "f" || e.key === "F") {
      this.change({ focus: obs.id[this.picked], from: "", to: "" });
      return true;
    }
    const next = this.neighbour(e.key);
    if (next === undefined) return false;
    if (next !== null) {
      this.pick(next);
      this.stage.reveal(next);
    }
    return true;
  }

  neighbour(key) {
    const inside = new Set(this.scene.nodes),
      i = this.picked;
    const closest = (list) => list.filter((o) => inside.has(o)).sort((a, b) => this.far(a) - this.far(b))[0] ?? null;
    if (key === "ArrowLeft") return closest(obs.deps[i]);
    if (key === "ArrowRight") return closest(users[i]);
    if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
    const sign = key === "ArrowUp" ? -1 : 1;
    return closest(
      this.scene.nodes.filter(
        (o) => this.scene.x(o) === this.scene.x(i) && sign * (this.scene.y(o) - this.scene.y(i)) > 0,
      ),
    );
  }

  far(o) {
    return (
      Math.abs(this.scene.y(o) - this.scene.y(this.picked)) + 3 * Math.abs(this.scene.x(o) - this.scene.x(this.picked))
    );
  }

  fillPanel(costs) {
    const active = document.activeElement?.getAttribute("aria-label");
    this.panel.replaceChildren(
      ...[this.notes(), this.controls(), this.selection(), this.legend(costs), this.help()].flat().filter(Boolean),
    );
    if (active && document.activeElement === document.body)
      $(`[aria-label="${CSS.escape(active)}"]`, this.panel)?.focus();
  }
}
