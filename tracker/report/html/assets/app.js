// Which view the address asks for, and how one gets from one to the next.

const staticView = (title) => ({
  title: () => title,
  show() {
    /* it is in the page already */
  },
});
const VIEWS = {
  overview: staticView("Overview"),
  causes: staticView("Causes"),
  graph: graphView,
  obligations: obligationsView,
  o: obligationView,
  modules: modulesView,
  m: moduleView,
  time: timeView,
  run: runView,
};
const SECTION = { o: "obligation", m: "module" };
const TAB = { o: "obligations", m: "modules", run: "time" };
let shownAddress = null;
let leave = null;

function parseAddress(hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?");
  const [view, argument] = path.split("/");
  const query = {};
  for (const pair of search.split("&").filter(Boolean)) {
    const [key, value = ""] = pair.split("=");
    query[decode(key)] = decode(value);
  }
  return { view: view || "overview", argument: argument === undefined ? null : decode(argument), query };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function route(first = false) {
  if (location.hash && !location.hash.startsWith("#/")) return; // a place in the page, such as the skip link's
  if (location.hash === shownAddress) return;
  shownAddress = location.hash;
  const { view, argument, query } = parseAddress(location.hash);
  const name = Object.hasOwn(VIEWS, view) ? view : "overview";
  const section = $(`section[data-view="${SECTION[name] || name}"]`);
  if (leave) leave();
  leave = null;
  for (const other of document.querySelectorAll("section.view")) other.hidden = other !== section;
  for (const link of document.querySelectorAll("[data-nav]")) {
    if (link.dataset.nav === (TAB[name] || name)) {
      link.setAttribute("aria-current", "page");
      const bar = link.parentElement; // on a small screen it scrolls
      bar.scrollLeft += link.getBoundingClientRect().right - bar.getBoundingClientRect().right;
    } else link.removeAttribute("aria-current");
  }
  $("#main").classList.toggle("wide", name === "graph");
  document.title = name === "overview" ? pageTitle : `${plain(VIEWS[name].title(argument))} · ${plain(core.title)}`;
  Promise.resolve(VIEWS[name].show(section, argument, query, (next, again) => goTo(view, argument, next, again)))
    .then((done) => {
      if (typeof done === "function") leave = done;
      section.dataset.ready = shownAddress || "#/";
      if (!first && name !== "graph") $("h1", section)?.focus({ preventScroll: true });
    })
    .catch((error) =>
      section.replaceChildren(el("p", { class: "notice" }, `This view could not be shown: ${error.message}`)),
    );
  if (!first && !query.compare) scrollTo({ top: 0, behavior: "instant" });
}

// Put the state of a view into the address: without a new entry in the browser's history, unless `again`.
function goTo(view, argument, query, again = false) {
  const next = address(view, argument, query);
  if (again) {
    location.hash = next;
    return;
  }
  history.replaceState(null, "", next);
  shownAddress = location.hash;
}

const pageTitle = document.title;
startTheme();
startSearch();
startLive();
addEventListener("hashchange", () => route());
route(true);
document.documentElement.dataset.ready = "true";
