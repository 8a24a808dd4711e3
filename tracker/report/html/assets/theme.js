// Dark or light: the button, and what must be drawn anew when it changes.

const themeListeners = [];

function setTheme(theme, keep) {
  document.documentElement.dataset.theme = theme;
  $("#theme").setAttribute("aria-label", theme === "dark" ? "Switch to light" : "Switch to dark");
  if (keep) {
    try {
      localStorage.setItem("tracker-theme", theme);
    } catch {
      /* a file may have no storage */
    }
  }
  themeListeners.forEach((listen) => listen());
}

function startTheme() {
  setTheme(document.documentElement.dataset.theme, false);
  $("#theme").addEventListener("click", () => {
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark", true);
  });
  addEventListener("beforeprint", () => themeListeners.forEach((listen) => listen("print")));
  addEventListener("afterprint", () => themeListeners.forEach((listen) => listen()));
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
