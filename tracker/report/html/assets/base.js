// Building blocks: elements, texts, amounts, addresses. Text goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const $ = (selector, root = document) => root.querySelector(selector);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Characters that cannot be seen, or that reorder others, are spelled out: what is read is what is there.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
const UNSEEN_RUNS = /([\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc})/gu;

function visible(text) {
  text = String(text);
  if (!UNSEEN.test(text)) return text;
  return text.split(UNSEEN_RUNS).map((part, i) => {
    if (i % 2 === 0) return part;
    return el("span", { class: "ctl" }, "U+" + part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0"));
  });
}

// A dotted name that may be broken after its dots.
const dotted = (name) =>
  name.split(".").flatMap((part, i, all) => (i < all.length - 1 ? [visible(`${part}.`), el("wbr")] : [visible(part)]));

// Running text of docs and catalogue: paragraphs, `code`, **strong**. Nothing else of Markdown is read.
function prose(text) {
  const inline = (part) =>
    part.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((piece, i) => {
      if (i % 2 === 0) return visible(piece);
      return piece.startsWith("`")
        ? el("code", null, visible(piece.slice(1, -1)))
        : el("strong", null, visible(piece.slice(2, -2)));
    });
  return String(text)
    .split(/\n\s*\n/)
    .map((paragraph) => el("p", { class: "wrap" }, inline(paragraph)));
}

// As `visible`, for places that take no elements: canvas and attributes.
const plain = (text) => String(text).replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, "\ufffd");

function showMs(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms === 0) return "0 s";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 10) return `${s.toFixed(2)} s`;
  if (s < 60) return `${s.toFixed(1)} s`;
  const minutes = Math.floor(Math.round(s) / 60),
    rest = Math.round(s) % 60;
  if (minutes < 60) return `${minutes} min ${String(rest).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

function showKib(kib) {
  if (kib === null || kib === undefined) return "–";
  if (kib === 0) return "0 B";
  let amount = kib;
  for (const unit of ["KiB", "MiB", "GiB"]) {
    if (amount < 1000) return `${amount >= 100 ? Math.round(amount) : Number(amount.toPrecision(3))} ${unit}`;
    amount /= 1024;
  }
  return `${Number(amount.toPrecision(3))} TiB`;
}

const showCount = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
function showShare(share) {
  if (share === null) return "–";
  return share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(share * 100)} %`;
}
const showTimes = (ratio) => (ratio === null ? "–" : `×${ratio.toFixed(2)}`);
const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

function when(seconds) {
  const iso = new Date(seconds * 1000).toISOString();
  return el("time", { datetime: iso, title: ago(seconds) }, `${iso.slice(0, 10)} ${iso.slice(11, 16)}`);
}

function ago(seconds) {
  const passed = Date.now() / 1000 - seconds;
  if (passed < -60) return "in the future: was the clock set back?";
  for (const [size, word] of [
    [86400, "day"],
    [3600, "hour"],
    [60, "minute"],
  ]) {
    if (passed >= size) return `${count(Math.floor(passed / size), word)} ago`;
  }
  return "just now";
}

function address(view, argument, query) {
  const path = argument === undefined || argument === null ? view : `${view}/${encodeURIComponent(argument)}`;
  const pairs = Object.entries(query || {}).filter(([, v]) => v !== "" && v !== null && v !== undefined);
  const text = pairs.map(([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(v)}`).join("&");
  return `#/${path}${text ? `?${text}` : ""}`;
}

function say(text) {
  $("#say").textContent = text;
}

function scrolling(label, ...children) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, children);
}

function card(title, ...children) {
  return el("div", { class: "card" }, title && el("h2", null, title), children);
}
