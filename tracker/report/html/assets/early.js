// Before anything is drawn: dark or light, as chosen earlier or as the system has it.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem("tracker-theme");
  } catch {
    /* a file may have no storage */
  }
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}
