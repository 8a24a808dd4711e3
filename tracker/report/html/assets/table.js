// Tables that sort by any column and show the first rows of many.

const FIRST_ROWS = 100;

// `columns`: {title, value(row) to sort by, cell(row) -> node or text, num}. The first column heads its row.
// `sort`: {column, down}. `first`: how many rows are shown at first. Returns {node, show(rows)}.
function makeTable({ caption, columns, sort = null, onSort = null, first = FIRST_ROWS }) {
  let rows = [],
    limit = first;
  const body = el("tbody");
  const more = el("button", {
    type: "button",
    onclick: () => {
      limit += 10 * FIRST_ROWS;
      draw();
    },
  });
  const heads = columns.map((column, i) =>
    el(
      "th",
      { scope: "col", class: column.num ? "num" : null },
      column.value ? el("button", { type: "button", onclick: () => turn(i) }, column.title) : column.title,
    ),
  );

  function turn(i) {
    sort = { column: i, down: sort && sort.column === i ? !sort.down : Boolean(columns[i].num) };
    draw();
    if (onSort) onSort(sort);
  }

  function ordered() {
    if (!sort || !columns[sort.column]) return rows;
    const value = columns[sort.column].value,
      sign = sort.down ? -1 : 1;
    const keyed = rows.map((row, i) => [value(row), i, row]);
    keyed.sort((a, b) => {
      const none = (a[0] === null || a[0] === undefined) - (b[0] === null || b[0] === undefined);
      if (none) return none; // what is not known stands last, whichever way
      if (a[0] < b[0]) return -sign;
      if (a[0] > b[0]) return sign;
      return a[1] - b[1];
    });
    return keyed.map((entry) => entry[2]);
  }

  function draw() {
    heads.forEach((head, i) => {
      if (sort && sort.column === i) head.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    body.replaceChildren(
      ...ordered()
        .slice(0, limit)
        .map((row) =>
          el(
            "tr",
            null,
            columns.map((column, i) =>
              el(
                i === 0 ? "th" : "td",
                { scope: i === 0 ? "row" : null, class: column.num ? "num" : column.wrap ? "wrap" : null },
                column.cell(row),
              ),
            ),
          ),
        ),
    );
    more.hidden = rows.length <= limit;
    more.textContent = `Show more (${limit} of ${rows.length} shown)`;
  }

  const node = el(
    "div",
    null,
    scrolling(
      caption,
      el("table", null, el("caption", { class: "sr" }, caption), el("thead", null, el("tr", null, heads)), body),
    ),
    more,
  );
  return {
    node,
    show(newRows) {
      rows = newRows;
      limit = first;
      draw();
    },
  };
}

const table = (options, rows) => {
  const made = makeTable(options);
  made.show(rows);
  return made.node;
};

// A field that filters. `choices`: [value, title] pairs; without them it is a text field.
function field(title, value, choices, onChange) {
  const control = choices
    ? el(
        "select",
        { onchange: (e) => onChange(e.target.value) },
        el("option", { value: "" }, `any ${title.toLowerCase()}`),
        choices.map(([key, name]) => el("option", { value: key, selected: key === value }, plain(name))),
      )
    : el("input", {
        type: "search",
        value,
        placeholder: "text in any column",
        spellcheck: "false",
        oninput: (e) => onChange(e.target.value),
      });
  control.setAttribute("aria-label", title);
  return control;
}
