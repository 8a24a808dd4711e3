// Questions about the graph: what is below and above, and how one leads to another.

// The nodes within `depth` steps from `start` along `next`, with their distance; `start` has distance 0.
function within(start, next, depth = Infinity) {
  const distance = new Map([[start, 0]]);
  const queue = [start];
  for (let k = 0; k < queue.length; k += 1) {
    const d = distance.get(queue[k]);
    if (d >= depth) continue;
    for (const other of next[queue[k]]) {
      if (!distance.has(other)) {
        distance.set(other, d + 1);
        queue.push(other);
      }
    }
  }
  return distance;
}

const below = (i, depth) => within(i, obs.deps, depth);
const above = (i, depth) => within(i, users, depth);

// A shortest way from `a` to what rests on it, `b`; and every node on any way. Null when there is none.
function ways(a, b) {
  const up = above(a),
    down = below(b);
  if (!up.has(b)) return null;
  const on = new Set([...up.keys()].filter((i) => down.has(i)));
  const way = [b];
  while (way[way.length - 1] !== a) {
    const i = way[way.length - 1];
    way.push(obs.deps[i].find((dep) => up.has(dep) && up.get(dep) === up.get(i) - 1));
  }
  return { on, way: way.reverse() };
}

const TALLEST = 24;

// The column of each node by the longest path to it; what rests on nothing here stands next to its first user.
function byLongestPath(nodes, inside) {
  const column = new Map();
  const ordered = [...nodes].sort((a, b) => core.x[a] - core.x[b]); // along every edge, x grows
  for (const i of ordered) {
    column.set(i, Math.max(0, ...obs.deps[i].filter((d) => inside.has(d)).map((d) => column.get(d) + 1)));
  }
  for (const i of ordered) {
    const right = users[i].filter((u) => inside.has(u)).map((u) => column.get(u) - 1);
    if (right.length && !obs.deps[i].some((d) => inside.has(d))) column.set(i, Math.min(...right));
  }
  return column;
}

// A compact layout of some nodes by themselves, in these columns (whole numbers): rows by the mean of neighbours.
function closeUp(nodes, column) {
  const inside = new Set(nodes);
  const least = Math.min(...column.values());
  const layers = [];
  for (const i of [...nodes].sort((a, b) => core.y[a] - core.y[b] || core.x[a] - core.x[b]))
    (layers[column.get(i) - least] ||= []).push(i);
  const parts = layers.flatMap((layer) =>
    Array.from({ length: Math.ceil(layer.length / TALLEST) }, (_, k) => layer.slice(k * TALLEST, (k + 1) * TALLEST)),
  );
  const row = new Map();
  for (const part of parts) part.forEach((i, k) => row.set(i, k - part.length / 2));
  for (let sweep = 0; sweep < 6; sweep += 1) {
    const near = sweep % 2 ? users : obs.deps;
    for (const part of sweep % 2 ? [...parts].reverse() : parts) settle(part, near, inside, row);
  }
  const top = Math.min(...row.values());
  const place = new Map(parts.flatMap((part, k) => part.map((i) => [i, k])));
  return { x: (i) => place.get(i), y: (i) => row.get(i) - top };
}

// Put a layer's nodes as near to the mean of their neighbours as they can be a row apart (least squares).
function settle(layer, near, inside, row) {
  const wanted = new Map(
    layer.map((i) => {
      const others = near[i].filter((o) => inside.has(o));
      return [i, others.length ? others.reduce((sum, o) => sum + row.get(o), 0) / others.length : row.get(i)];
    }),
  );
  layer.sort((a, b) => wanted.get(a) - wanted.get(b));
  const blocks = [];
  layer.forEach((i, rank) => {
    let block = [wanted.get(i) - rank, 1];
    while (blocks.length && blocks.at(-1)[0] / blocks.at(-1)[1] > block[0] / block[1]) {
      const before = blocks.pop();
      block = [block[0] + before[0], block[1] + before[1]];
    }
    blocks.push(block);
  });
  let rank = 0;
  for (const [sum, size] of blocks) {
    for (let k = 0; k < size; k += 1, rank += 1) row.set(layer[rank], sum / size + rank);
  }
}
