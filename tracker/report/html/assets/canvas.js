// The drawing surface of the graph: thousands of nodes that pan and zoom without delay.
//
// A drawing that took long is not repeated during a gesture: its picture is moved and scaled, and the real
// drawing follows when the hand rests.

const COLUMN = 210,
  ROW = 26,
  MARK = 15;
const SLOW_MS = 12,
  REST_MS = 90;
const LABELS_FROM = 0.48,
  CURVES_FROM = 0.16,
  MANY_EDGES = 5000;

function makeStage(canvas, { onPick, onHover, onMove, onKey }) {
  const context = canvas.getContext("2d");
  const marks = core.states.map((state) => new Path2D(state.path));
  const still = document.createElement("canvas");
  const view = { k: 1, x: 0, y: 0 };
  let scene = null,
    paint = null,
    picked = null,
    stillView = null,
    cost = 0,
    timer = 0,
    frame = 0;

  // A drawing that is much wider than its place gets rows further apart; a close-up, columns nearer together,
  // so that its names can be read.
  const high = () => ROW * scene.stretch,
    broad = () => COLUMN * scene.squeeze;
  const wx = (i) => scene.x(i) * broad(),
    wy = (i) => scene.y(i) * high();
  const sx = (x) => x * view.k + view.x,
    sy = (y) => y * view.k + view.y;
  const size = () => [canvas.clientWidth, canvas.clientHeight];

  // `scene`: {nodes, x(i), y(i), edges: [[from, to]], lanes: [[title, top, bottom]]}, places in columns and rows.
  function setScene(next) {
    scene = next;
    const [w, h] = size();
    const columns = Math.max(...scene.nodes.map(scene.x)) + 1;
    scene.squeeze = w && !scene.lanes.length ? Math.max(0.45, Math.min(1, w / (columns * COLUMN * 0.8))) : 1;
    const wide = columns * broad(),
      tall = (Math.max(...scene.nodes.map(scene.y)) + 3) * ROW;
    scene.stretch = w && h ? Math.max(1, Math.min(2.5, (wide / tall) * (h / w))) : 1;
    scene.links = new Path2D();
    scene.across = new Path2D(); // from one lane to another: there are many, and they hide the chains
    scene.curves = scene.edges.length < MANY_EDGES;
    const lanes = scene.lanes.length > 1;
    for (const [a, b] of scene.edges) link(lanes && obs.net[a] !== obs.net[b] ? scene.across : scene.links, a, b);
    const xs = scene.nodes.map(wx),
      ys = scene.nodes.map(wy);
    scene.box = [Math.min(...xs) - 80, Math.min(...ys) - 30, Math.max(...xs) + broad(), Math.max(...ys) + 30];
    canvas.dataset.nodes = scene.nodes.length;
    canvas.dataset.edges = scene.edges.length;
  }

  function link(path, a, b) {
    const x1 = wx(a),
      y1 = wy(a),
      x2 = wx(b),
      y2 = wy(b);
    path.moveTo(x1, y1);
    if (Math.abs(x2 - x1) < broad() / 2) path.bezierCurveTo(x1 - 70, y1, x2 - 70, y2, x2, y2);
    else if (scene.curves) {
      const bend = Math.max(30, Math.min(110, Math.abs(x2 - x1) / 2)) * Math.sign(x2 - x1);
      path.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    } else path.lineTo(x2, y2);
  }

  // `paint`: {colours(i) -> css, dim(i) -> bool, strong: [[from, to]], states(i) -> index, theme}.
  function setPaint(next) {
    paint = next;
  }

  function draw() {
    const [w, h] = size(),
      ratio = devicePixelRatio || 1;
    if (!w || !h || !scene || !paint) return;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    const begun = performance.now();
    const theme = paint.theme;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.bg;
    context.fillRect(0, 0, w, h);
    drawLanes(w, theme);
    drawEdges(ratio, theme);
    drawNodes(w, h, theme);
    drawLaneTitles(theme);
    cost = performance.now() - begun;
    canvas.dataset.drawMs = cost.toFixed(1);
    canvas.dataset.view = `${view.k.toFixed(3)},${view.x.toFixed(0)},${view.y.toFixed(0)}`;
    if (cost > SLOW_MS) {
      still.width = canvas.width;
      still.height = canvas.height;
      still.getContext("2d").drawImage(canvas, 0, 0);
      stillView = { ...view };
    } else stillView = null;
  }

  function drawLanes(w, theme) {
    context.fillStyle = theme.lane;
    scene.lanes.forEach(([, top, bottom], i) => {
      if (i % 2 === 0) context.fillRect(0, sy((top - 1) * high()), w, (bottom - top + 2) * high() * view.k);
    });
  }

  function drawLaneTitles(theme) {
    context.font = "600 12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const [title, top, bottom] of scene.lanes) {
      const from = sy((top - 1) * high()),
        to = sy((bottom + 1) * high());
      if (to < 0 || from > canvas.clientHeight || to - from < 16) continue;
      const y = Math.max(from + 10, Math.min(12, to - 10));
      const text = plain(title),
        wide = context.measureText(text).width;
      context.fillStyle = theme.bg;
      context.globalAlpha = 0.85;
      context.fillRect(6, y - 9, wide + 10, 18);
      context.globalAlpha = 1;
      context.fillStyle = theme.muted;
      context.fillText(text, 11, y);
    }
  }

  function drawEdges(ratio, theme) {
    context.save();
    context.setTransform(ratio * view.k, 0, 0, ratio * view.k, ratio * view.x, ratio * view.y);
    const faded = paint.strong.length > 0 || paint.someDim;
    context.strokeStyle = theme.edge;
    const fade = faded ? 0.35 : 1;
    context.lineWidth = Math.min(1.5, 0.8 / view.k);
    context.globalAlpha = Math.min(0.3, 400 / (scene.edges.length + 1)) * fade;
    context.stroke(scene.across);
    context.globalAlpha = 0.6 * fade;
    context.stroke(scene.links);
    if (paint.strong.length) {
      const path = new Path2D();
      for (const [a, b] of paint.strong) link(path, a, b);
      context.globalAlpha = 1;
      context.strokeStyle = theme.accent;
      context.lineWidth = Math.max(1.1, 1.6 / view.k);
      context.stroke(path);
    }
    context.restore();
  }

  function drawNodes(w, h, theme) {
    const labels = view.k >= LABELS_FROM;
    const tiny = view.k < CURVES_FROM * 2;
    const least = Math.max(2.5, Math.min(6, 0.75 * broad() * view.k, 0.75 * high() * view.k));
    const mark = Math.max(least, Math.min(MARK * 1.4, MARK * view.k));
    context.textBaseline = "middle";
    context.font = `${Math.max(10, Math.min(13, 13 * view.k)).toFixed(1)}px system-ui, sans-serif`;
    context.strokeStyle = theme.bg; // a rim around labels, so that edges behind do not disturb
    context.lineWidth = 3;
    context.lineJoin = "round";
    const room = Math.max(4, Math.floor((broad() * view.k - mark - 14) / (6.1 * Math.min(1, view.k + 0.15))));
    for (const i of scene.nodes) {
      const x = sx(wx(i)),
        y = sy(wy(i));
      if (x < -broad() * view.k || x > w + 20 || y < -20 || y > h + 20) continue;
      const dim = paint.dim(i),
        state = paint.states(i);
      context.globalAlpha = dim ? 0.35 : 1;
      context.fillStyle = paint.colours(i);
      if (tiny && (state === PROVED || dim)) context.fillRect(x - mark / 2, y - mark / 2, mark, mark);
      else drawMark(state, x, y, tiny ? Math.max(mark, 7) : mark);
      if (labels) {
        const text = shorten(plain(obs.id[i]), room);
        context.strokeText(text, x + mark / 2 + 4, y);
        context.fillStyle = theme.ink;
        context.fillText(text, x + mark / 2 + 4, y);
      }
    }
    context.globalAlpha = 1;
    if (picked !== null && scene.nodes.includes(picked)) ring(picked, mark, theme);
  }

  function drawMark(state, x, y, wide) {
    context.translate(x - wide / 2, y - wide / 2);
    context.scale(wide / 16, wide / 16);
    context.fill(marks[state], "evenodd");
    context.scale(16 / wide, 16 / wide);
    context.translate(wide / 2 - x, wide / 2 - y);
  }

  function ring(i, mark, theme) {
    context.strokeStyle = theme.accent;
    context.lineWidth = 2.5;
    context.beginPath();
    context.arc(sx(wx(i)), sy(wy(i)), mark / 2 + 5, 0, 7);
    context.stroke();
  }

  // During a gesture: the last picture, moved; then, when there is rest, the real drawing.
  function moved() {
    const cheap = stillView && cost > SLOW_MS;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(cheap ? shift : draw);
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (cheap) draw();
      onMove();
    }, REST_MS);
  }

  function shift() {
    if (!stillView) {
      draw();
      return;
    }
    const ratio = devicePixelRatio || 1,
      by = view.k / stillView.k;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = paint.theme.bg;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(by, 0, 0, by, ratio * (view.x - stillView.x * by), ratio * (view.y - stillView.y * by));
    context.drawImage(still, 0, 0);
  }

  function zoom(factor, px, py) {
    const k = Math.max(0.02, Math.min(4, view.k * factor));
    view.x = px - (px - view.x) * (k / view.k);
    view.y = py - (py - view.y) * (k / view.k);
    view.k = k;
    moved();
  }

  function pan(dx, dy) {
    view.x += dx;
    view.y += dy;
    moved();
  }

  function fit(most = 1.2) {
    const [all, h] = size(),
      [x0, y0, x1, y1] = scene.box;
    const titles = scene.lanes.length > 1 && all > 600 ? 90 : 0,
      w = all - titles;
    view.k = Math.max(0.02, Math.min(most, w / (x1 - x0), h / (y1 - y0)));
    view.x = titles + (w - (x0 + x1) * view.k) / 2;
    view.y = (h - (y0 + y1) * view.k) / 2;
    draw();
  }

  function reveal(i) {
    const [w, h] = size(),
      x = sx(wx(i)),
      y = sy(wy(i));
    if (x < 40 || x > w - 120) view.x += w / 2 - x;
    if (y < 40 || y > h - 40) view.y += h / 2 - y;
    draw();
  }

  function near(px, py) {
    if (!scene) return null;
    let best = null,
      least = Math.max(12, MARK * view.k) ** 2;
    for (const i of scene.nodes) {
      const d = (sx(wx(i)) - px) ** 2 + (sy(wy(i)) - py) ** 2;
      if (d < least) {
        least = d;
        best = i;
      }
    }
    return best;
  }

  function pick(i) {
    picked = i;
    draw();
  }

  followHands(canvas, { zoom, pan, near, onPick, onHover });
  canvas.addEventListener("keydown", (e) => {
    const by = e.shiftKey ? 240 : 80;
    if (onKey(e)) {
      e.preventDefault();
      return;
    }
    const [w, h] = size();
    const act = {
      ArrowLeft: () => pan(by, 0),
      ArrowRight: () => pan(-by, 0),
      ArrowUp: () => pan(0, by),
      ArrowDown: () => pan(0, -by),
      "+": () => zoom(1.3, w / 2, h / 2),
      "=": () => zoom(1.3, w / 2, h / 2),
      "-": () => zoom(1 / 1.3, w / 2, h / 2),
      0: () => {
        fit();
        onMove();
      },
    }[e.key];
    if (act && !e.ctrlKey && !e.metaKey) {
      act();
      e.preventDefault();
    }
  });
  const observer = new ResizeObserver(() => draw());
  observer.observe(canvas);
  return {
    setScene,
    setPaint,
    draw,
    fit,
    reveal,
    pick,
    zoom: (f) => zoom(f, canvas.clientWidth / 2, canvas.clientHeight / 2),
    view,
    place: (i) => [sx(wx(i)), sy(wy(i))],
    unit: () => [scene.squeeze, scene.stretch],
    end: () => observer.disconnect(),
  };
}

// Pointer, wheel and two fingers.
function followHands(canvas, { zoom, pan, near, onPick, onHover }) {
  const hands = new Map();
  let travelled = 0;
  const local = (e) => [e.offsetX, e.offsetY];
  canvas.addEventListener(
    "wheel",
    (e) => {
      e.preventDefault();
      zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), ...local(e));
    },
    { passive: false },
  );
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    hands.set(e.pointerId, local(e));
    travelled = 0;
  });
  canvas.addEventListener("pointermove", (e) => {
    const was = hands.get(e.pointerId),
      is = local(e);
    if (!was) {
      onHover(near(...is), ...is);
      return;
    }
    if (hands.size === 1) pan(is[0] - was[0], is[1] - was[1]);
    else if (hands.size === 2) {
      const [other] = [...hands].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
      const before = Math.hypot(was[0] - other[0], was[1] - other[1]),
        after = Math.hypot(is[0] - other[0], is[1] - other[1]);
      if (before > 4) zoom(after / before, (is[0] + other[0]) / 2, (is[1] + other[1]) / 2);
    }
    travelled += Math.hypot(is[0] - was[0], is[1] - was[1]);
    hands.set(e.pointerId, is);
  });
  const up = (e) => {
    if (hands.delete(e.pointerId) && e.type === "pointerup" && travelled < 5) onPick(near(...local(e)));
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => onHover(null));
  canvas.addEventListener("dblclick", (e) => zoom(1.8, ...local(e)));
}

// A long name, shortened in its middle: beginnings and ends are what tells names apart.
function shorten(text, most) {
  if (text.length <= most) return text;
  const tail = Math.max(1, Math.floor(most * 0.55));
  return `${text.slice(0, Math.max(1, most - tail - 1))}…${text.slice(-tail)}`;
}
