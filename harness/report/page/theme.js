// Light and dark: as the system says, or as the button does.
"use strict";

function prepareTheme() {
  const themes = ["auto", "dark", "light"];
  const show = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    byId("theme").textContent = `Theme: ${theme}`;
  };
  let theme = "auto";
  try {
    theme = themes.find((name) => name === localStorage.getItem("meshspec-theme")) ?? "auto";
  } catch {
    // A page from a file may have no storage: then the choice lasts as long as the page.
  }
  show(theme);
  byId("theme").addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    show(theme);
    try {
      localStorage.setItem("meshspec-theme", theme);
    } catch {
      // As above.
    }
  });
}
