// Filters over the table's rows, and the keyboard's way back from what stands behind a cell. All else works without this.
"use strict";

const rows = [...document.querySelectorAll(".matrix tr.rule")].map((row) => ({
  row, level: row.querySelector(".level").textContent, states: new Set([...row.querySelectorAll("td")].map((cell) => cell.classList[0])),
  search: `${row.querySelector("th a").textContent} ${row.querySelector("th a").title}`.toLowerCase(),
}));

// What cells there are, as the legend names them; above them all that a reader may have to look at.
const TROUBLE = ["fail", "error", "xpass", "warning", "remark", "xfail"];

function isShown(one) {
  const state = byId("filter-state").value, level = byId("filter-level").value;
  return (state === "" || (state === "trouble" ? TROUBLE.some((name) => one.states.has(name)) : state === "different" ? differs(one) : one.states.has(state))) &&
    (level === "" || one.level === level) && byId("filter-text").value.trim().toLowerCase().split(/\s+/).every((part) => one.search.includes(part));
}

function differs(one) {
  return [...one.states].filter((name) => name !== "no-rule").length > 1;
}

function showRows() {
  const shown = rows.filter((one) => {
    one.row.hidden = !isShown(one);
    return !one.row.hidden;
  });
  for (const body of document.querySelectorAll(".matrix tbody")) body.hidden = [...body.querySelectorAll("tr.rule")].every((row) => row.hidden);
  byId("shown").textContent = shown.length === rows.length ? counted(rows.length, "rule", "rules") : `${shown.length} of ${counted(rows.length, "rule", "rules")}`;
}

function fillStates() {
  const select = byId("filter-state");
  if (rows.some((one) => TROUBLE.some((name) => one.states.has(name)))) select.append(make("option", { value: "trouble" }, "something to look at"));
  select.append(make("option", { value: "different" }, "differences between columns"));
  for (const mark of document.querySelectorAll(".legend .mark")) {
    const name = mark.classList[1];
    if (name !== "no-rule" && rows.some((one) => one.states.has(name))) select.append(make("option", { value: name }, mark.textContent));
  }
}

function prepareFilters() {
  fillStates();
  for (const id of ["filter-text", "filter-level", "filter-state"]) byId(id).addEventListener("input", showRows);
  byId("filter-clear").addEventListener("click", () => {
    for (const id of ["filter-text", "filter-level", "filter-state"]) byId(id).value = "";
    showRows();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").hidden = false;
  showRows();
}

// The browser goes to what the address names; what is in a folded part has to be unfolded, and the focus has to follow.
function follow() {
  const wanted = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (wanted === null) return;
  const folded = wanted.closest("details");
  if (folded !== null && !folded.open) {
    folded.open = true;
    wanted.scrollIntoView();
  }
  if (wanted.classList.contains("evidence")) wanted.focus({ preventScroll: true });
}

let from = null; // the cell that was left

addEventListener("click", (event) => {
  const link = event.target.closest?.(".matrix tr.rule a");
  if (link) from = link;
});
addEventListener("keydown", (event) => {
  const open = document.querySelector(".evidence:target");
  if (event.key !== "Escape" || open === null) return;
  location.hash = from === null ? open.querySelector(".back").hash : `#${from.closest("tr").id}`;
  from?.focus({ preventScroll: true });
});
addEventListener("hashchange", follow);

prepareTheme();
prepareFilters();
follow();
