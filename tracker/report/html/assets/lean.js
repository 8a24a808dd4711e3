// Lean text, coloured; names that the catalogue tracks become links.

const LEAN = new RegExp(
  [
    '(?<q>"(?:[^"\\\\]|\\\\.)*")',
    "(?<n>\\b\\d[\\d_]*(?:\\.\\d+)?\\b)",
    "(?<w>(?:«[^»\\n]*»|[\\p{L}_][\\p{L}\\p{N}_'!?\\u2080-\\u209c]*)(?:\\.(?:«[^»\\n]*»|[\\p{L}_][\\p{L}\\p{N}_'!?\\u2080-\\u209c]*))*)",
    "(?<o>[∀∃λΣΠ→←↔∧∨¬∘≤≥≠=:+*/^∑∏×∣⊢▸•⬝-]+)",
  ].join("|"),
  "gu",
);
const KEYWORDS = new Set(
  (
    "theorem def abbrev instance structure class inductive axiom opaque fun let have show from if then else match with do " +
    "by in where at forall exists Type Prop Sort sorry private protected noncomputable"
  ).split(" "),
);
const LONGEST_COLOURED = 20000;

function lean(text, own) {
  if (text.length > LONGEST_COLOURED) return visible(text);
  const parts = [];
  let last = 0;
  for (const match of text.matchAll(LEAN)) {
    if (match.index > last) parts.push(visible(text.slice(last, match.index)));
    parts.push(leanToken(match, own));
    last = match.index + match[0].length;
  }
  parts.push(visible(text.slice(last)));
  return parts;
}

function leanToken(match, own) {
  const word = match[0];
  if (match.groups.w) {
    const target = byDecl.get(word);
    if (target !== undefined && target !== own) return obLink(target, word);
    return KEYWORDS.has(word) ? el("span", { class: "k" }, word) : visible(word);
  }
  const kind = match.groups.q ? "q" : match.groups.n ? "n" : /[∀∃λΣΠ]/.test(word) ? "k" : "o";
  return el("span", { class: kind }, visible(word));
}
