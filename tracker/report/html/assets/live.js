// While the page is served and a run goes on: ask for news, and show the page anew when there is some.

const ASK_EVERY_MS = 1500;
const IDLE_MS = 4000;

function startLive() {
  if (!core.served) return;
  const strip = $("#live");
  let touched = 0,
    known = null,
    failures = 0;
  for (const kind of ["pointerdown", "keydown", "wheel"])
    addEventListener(
      kind,
      () => {
        touched = Date.now();
      },
      { passive: true },
    );
  const busy = () =>
    document.hidden ||
    Date.now() - touched < IDLE_MS ||
    String(getSelection()) !== "" ||
    !$("#found").hidden ||
    /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName || "");
  const reload = () => {
    try {
      sessionStorage.setItem("tracker-scroll", String(scrollY));
    } catch {
      /* then it starts at the top */
    }
    location.reload();
  };
  async function ask() {
    try {
      const answer = await (await fetch("/news", { cache: "no-store" })).json();
      failures = 0;
      known ??= answer.page;
      show(answer);
      if (answer.page !== known && !busy()) {
        reload();
        return;
      }
    } catch {
      failures += 1;
      if (failures === 2) show({ text: "The server has ended; this page stays as it is.", page: known });
    }
    setTimeout(ask, failures > 2 ? 10 * ASK_EVERY_MS : ASK_EVERY_MS);
  }
  function show(answer) {
    const fresh = answer.page !== known;
    strip.hidden = !answer.text && !fresh;
    strip.replaceChildren(visible(answer.text || ""), " ");
    if (fresh) strip.append(el("button", { type: "button", onclick: reload }, "Show what is new"));
  }
  try {
    const y = sessionStorage.getItem("tracker-scroll");
    sessionStorage.removeItem("tracker-scroll");
    if (y) requestAnimationFrame(() => scrollTo({ top: Number(y), behavior: "instant" }));
  } catch {
    /* as above */
  }
  ask();
}
