// The field in the header: finds obligations, declarations, modules and runs as one types.

const MOST_FOUND = 30;

function findAll(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  const rank = (name) => (name === words.join(" ") ? 0 : name.startsWith(words[0]) ? 1 : 2);
  const look = (name, make) => {
    const hay = name.toLowerCase();
    if (words.every((word) => hay.includes(word))) found.push([rank(hay), name.length, make]);
  };
  obs.id.forEach((id, i) =>
    look(`${id} ${obs.decl[i]}`, () => ({
      href: address("o", id),
      icon: mark(stateOf(i)),
      name: id,
      note: obs.decl[i],
      i,
    })),
  );
  mods.name.forEach((name, m) => look(name, () => ({ href: address("m", name), icon: null, name, note: "module", m })));
  runs.number.forEach((number) =>
    look(`run ${number}`, () => ({ href: address("run", number), icon: null, name: `run ${number}`, note: "" })),
  );
  found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return found.slice(0, MOST_FOUND).map(([, , make]) => make());
}

function startSearch() {
  const input = $("#search input"),
    list = $("#found");
  let hits = [],
    at = -1;
  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const go = (k) => {
    const hit = hits[k];
    if (!hit) return;
    close();
    input.value = "";
    // In the graph, an obligation is looked at where one is.
    location.hash =
      hit.i !== undefined && location.hash.startsWith("#/graph")
        ? address("graph", null, { focus: obs.id[hit.i] })
        : hit.href;
  };
  const choose = (k) => {
    at = (k + hits.length) % hits.length;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    list.children[at].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", `found-${at}`);
  };
  input.addEventListener("input", () => {
    hits = findAll(input.value);
    list.replaceChildren(
      ...hits.map((hit, k) =>
        el(
          "li",
          {
            role: "option",
            id: `found-${k}`,
            "aria-selected": "false",
            onpointerdown: (e) => {
              e.preventDefault();
              go(k);
            },
          },
          hit.icon,
          hit.icon ? " " : "",
          visible(hit.name),
          " ",
          el("span", { class: "muted small mono" }, visible(hit.note)),
        ),
      ),
    );
    if (!hits.length && input.value.trim())
      list.replaceChildren(
        el("li", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, "nothing found"),
      );
    list.hidden = !input.value.trim();
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (hits.length) choose(0);
  });
  input.addEventListener("keydown", (e) => {
    if (e.key === "ArrowDown" && hits.length) choose(at + 1);
    else if (e.key === "ArrowUp" && hits.length) choose(at - 1);
    else if (e.key === "Enter") go(at);
    else if (e.key === "Escape") {
      close();
      input.value = "";
    } else return;
    e.preventDefault();
  });
  input.addEventListener("blur", close);
  addEventListener("keydown", (e) => {
    if (e.key === "/" && !e.ctrlKey && !e.metaKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
      e.preventDefault();
      input.focus();
    }
  });
}
