// Charts in SVG. Each can be read with the pointer, with the arrow keys, and as a table.

// Drawn for the width there is, so that texts keep their size.
const chartWidth = (most = 720) => Math.max(320, Math.min(most, innerWidth - 70));

function niceTicks(top, wanted = 4) {
  const rough = top / wanted || 1;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((f) => f * size).find((s) => s >= rough);
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, i) => i * step);
}

// Ticks that are round in the unit they are shown in: seconds and minutes, powers of 1024.
function ticksFor(unit, top) {
  if (unit === "ms") {
    const size = top >= 120000 ? 60000 : top >= 2000 ? 1000 : 1;
    return niceTicks(top / size).map((t) => t * size);
  }
  if (unit === "KiB") {
    const size = top >= 1024 * 1000 ? 1024 * 1024 : top >= 1000 ? 1024 : 1;
    return niceTicks(top / size).map((t) => t * size);
  }
  return niceTicks(top).filter((t) => Number.isInteger(t));
}

const shown = { ms: showMs, KiB: showKib, "": (n) => (n === null ? "–" : String(n)) };

// `xs`: labels of the places on the x axis. `series`: {name, colour, values, bad: [bool], area}, as long as xs.
// `switches`: [[place, text]], vertical lines. `limit`: a horizontal one. `positions`: of the places, 0 to 1.
function chart({
  title,
  unit = "",
  xs,
  xTitle,
  series,
  switches = [],
  limit = null,
  height = 190,
  positions = null,
  stacked = false,
}) {
  const WIDE = chartWidth();
  const left = 62,
    right = 12,
    top = 16,
    bottom = 26;
  const inner = WIDE - left - right,
    tall = height - top - bottom;
  const sums = xs.map((_, i) => series.reduce((sum, s) => sum + (s.values[i] || 0), 0));
  const highest = Math.max(
    1,
    ...(stacked ? sums : series.flatMap((s) => s.values.filter((v) => v !== null))),
    limit || 0,
  );
  const x = (i) => left + inner * (positions ? positions[i] : xs.length > 1 ? i / (xs.length - 1) : 0.5);
  const y = (v) => top + tall * (1 - v / highest);
  const drawing = svg("svg", {
    class: "chart",
    viewBox: `0 0 ${WIDE} ${height}`,
    role: "img",
    "aria-label": `${title}; the table below has the figures`,
    tabindex: "0",
  });
  for (const tick of ticksFor(unit, highest)) {
    drawing.append(
      svg("line", { class: "axis", x1: left, x2: WIDE - right, y1: y(tick), y2: y(tick) }),
      svg("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, shown[unit](tick)),
    );
  }
  const every = Math.max(1, Math.ceil(xs.length / Math.max(3, WIDE / 110)));
  xs.forEach((label, i) => {
    const crowded = i !== xs.length - 1 && xs.length - 1 - i < every;
    if ((i % every === 0 && !crowded) || i === xs.length - 1) {
      const anchor = i === 0 && xs.length > 1 ? "start" : i === xs.length - 1 && xs.length > 1 ? "end" : "middle";
      drawing.append(svg("text", { x: x(i), y: height - 8, "text-anchor": anchor }, plain(label)));
    }
  });
  let lastText = -Infinity;
  for (const [place, text] of switches) {
    const at = place <= 0 ? x(0) : (x(place - 1) + x(place)) / 2;
    drawing.append(svg("line", { class: "switch", x1: at, x2: at, y1: top - 8, y2: height - bottom }));
    if (at - lastText > 52) {
      drawing.append(svg("text", { x: at + 3, y: top - 5 }, plain(text)));
      lastText = at;
    }
  }
  if (limit) {
    drawing.append(
      svg("line", { class: "limit", x1: left, x2: WIDE - right, y1: y(limit), y2: y(limit) }),
      svg("text", { x: WIDE - right, y: y(limit) - 4, "text-anchor": "end" }, `limit ${shown[unit](limit)}`),
    );
  }
  const base = xs.map(() => 0);
  for (const s of series) {
    if (stacked) drawStack(drawing, s, base, x, y);
    else drawLine(drawing, s, x, y);
  }
  const figure = el("figure", null, el("figcaption", null, title), drawing);
  addCursor(figure, drawing, { xs, xTitle, series, unit, x, top, foot: height - bottom, wide: WIDE });
  figure.append(figureTable(title, xTitle, xs, series, unit));
  return figure;
}

function drawLine(drawing, s, x, y) {
  let path = "",
    open = false;
  s.values.forEach((v, i) => {
    if (v === null) {
      open = false;
      return;
    }
    path += `${open ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}`;
    open = true;
  });
  drawing.append(
    svg("path", { class: "line", d: path, stroke: `var(${s.colour})`, "stroke-dasharray": s.dash || null }),
  );
  const known = s.values.filter((v) => v !== null).length;
  s.values.forEach((v, i) => {
    if (v === null) return;
    if (s.bad && s.bad[i]) {
      drawing.append(
        svg("path", {
          d: `M${x(i) - 4} ${y(v) - 4}l8 8m0-8l-8 8`,
          stroke: "var(--failed)",
          "stroke-width": 2,
          fill: "none",
        }),
      );
    } else if (known <= 60) {
      drawing.append(svg("circle", { cx: x(i), cy: y(v), r: 2.2, fill: `var(${s.colour})` }));
    }
  });
}

function drawStack(drawing, s, base, x, y) {
  const upper = s.values.map((v, i) => base[i] + (v || 0));
  if (upper.length === 1) {
    const high = y(base[0]) - y(upper[0]);
    drawing.append(svg("rect", { x: x(0) - 30, y: y(upper[0]), width: 60, height: high, fill: `var(${s.colour})` }));
    base[0] = upper[0];
    return;
  }
  const there = upper.map((v, i) => `${x(i).toFixed(1)} ${y(v).toFixed(1)}`);
  const back = base.map((v, i) => `${x(i).toFixed(1)} ${y(v).toFixed(1)}`).reverse();
  drawing.append(
    svg("path", {
      d: `M${there.join("L")}L${back.join("L")}z`,
      fill: `var(${s.colour})`,
      stroke: "var(--surface)",
      "stroke-width": 0.6,
    }),
  );
  upper.forEach((v, i) => {
    base[i] = v;
  });
}

function addCursor(figure, drawing, { xs, xTitle, series, unit, x, top, foot, wide }) {
  const line = svg("line", { class: "cursor", y1: top, y2: foot, visibility: "hidden" });
  const tip = el(
    "p",
    { class: "tip small", role: "status" },
    series.length > 1 || series[0].name ? legend(series) : "",
  );
  const idle = [...tip.childNodes];
  drawing.append(line);
  figure.append(tip);
  let at = -1;
  const move = (i) => {
    at = Math.max(0, Math.min(xs.length - 1, i));
    line.setAttribute("x1", x(at));
    line.setAttribute("x2", x(at));
    line.setAttribute("visibility", "visible");
    const parts = series
      .filter((s) => s.values[at] !== null && (series.length < 6 || s.values[at] !== 0))
      .map(
        (s) =>
          `${s.name ? `${s.name} ` : ""}${shown[unit](s.values[at])}${s.bad && s.bad[at] ? ` (${s.bad[at]})` : ""}`,
      );
    tip.textContent = `${xTitle} ${xs[at]}: ${parts.join(", ") || "nothing"}`;
  };
  const leave = () => {
    line.setAttribute("visibility", "hidden");
    tip.replaceChildren(...idle);
  };
  drawing.addEventListener("pointermove", (e) => {
    const box = drawing.getBoundingClientRect();
    const place = ((e.clientX - box.left) / box.width) * wide;
    move(xs.reduce((best, _, i) => (Math.abs(x(i) - place) < Math.abs(x(best) - place) ? i : best), 0));
  });
  drawing.addEventListener("pointerleave", leave);
  drawing.addEventListener("blur", leave);
  drawing.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[e.key];
    if (step === undefined) return;
    e.preventDefault();
    move(at < 0 && step > 0 && step !== Infinity ? 0 : at + step);
  });
}

function legend(series) {
  return series.map((s) => [
    s.mark ||
      svg(
        "svg",
        { class: "mark", viewBox: "0 0 16 16", "aria-hidden": "true" },
        svg("path", { d: "M1 8h14", stroke: `var(${s.colour})`, "stroke-width": 4, "stroke-dasharray": s.dash || null }),
      ),
    ` ${s.name}   `,
  ]);
}

function figureTable(title, xTitle, xs, series, unit) {
  const details = el("details", null, el("summary", null, "Table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return;
    const columns = [{ title: xTitle, value: (i) => i, cell: (i) => visible(xs[i]) }].concat(
      series.map((s) => ({
        title: s.name || title,
        num: true,
        value: (i) => s.values[i],
        cell: (i) => shown[unit](s.values[i]) + (s.bad && s.bad[i] ? ` (${s.bad[i]})` : ""),
      })),
    );
    details.append(
      table(
        { caption: title, columns },
        xs.map((_, i) => i),
      ),
    );
  });
  return details;
}

// Where the toolchain or the machine is another than before, among these runs (indices, in order).
function switchesAmong(runIndices) {
  const found = [];
  runIndices.forEach((r, i) => {
    const before = runIndices[i - 1];
    if (i === 0) return;
    if (runs.toolchain[r] !== runs.toolchain[before]) found.push([i, leanVersion(r)]);
    else if (runs.machine[r] !== runs.machine[before]) found.push([i, "other machine"]);
  });
  return found;
}
