// Which cases are shown. What is chosen stands in the page's address, so that a view can be passed on.
"use strict";

const FIELDS = ["area", "clause", "profile", "target"];
const chosen = { outcomes: new Set(), text: "", area: "", clause: "", profile: "", target: "" };

function valuesOf(one, name) {
  return name === "clause" ? one.clauses.map((clause) => clause.id) : [one[name]];
}

function searchable(one) {
  const clauses = one.clauses.map((clause) => clause.id).join(" ");
  return `${one.name} ${one.title} ${clauses} ${reasonOf(one)} ${one.failure?.rule ?? ""} ${one.target}`.toLowerCase();
}

function isShown(one) {
  return (chosen.outcomes.size === 0 || chosen.outcomes.has(one.outcome)) &&
    FIELDS.every((name) => chosen[name] === "" || valuesOf(one, name).includes(chosen[name])) &&
    chosen.text.toLowerCase().split(/\s+/).every((part) => one.search.includes(part));
}

function readAddress() {
  const read = new URLSearchParams(location.hash.slice(1));
  chosen.outcomes = new Set((read.get("only") ?? "").split(",").filter((name) => name in OUTCOMES));
  chosen.text = read.get("text") ?? "";
  for (const name of FIELDS) chosen[name] = read.get(name) ?? "";
  return read.get("case");
}

function writeAddress() {
  const write = new URLSearchParams();
  if (chosen.outcomes.size > 0) write.set("only", [...chosen.outcomes].join(","));
  for (const name of ["text", ...FIELDS]) if (chosen[name] !== "") write.set(name, chosen[name]);
  history.replaceState(null, "", write.size > 0 ? `#${write}` : location.pathname + location.search);
}

function outcomeButtons(cases, changed) {
  const group = byId("outcomes");
  for (const [outcome, name] of Object.entries(OUTCOMES)) {
    const count = cases.filter((one) => one.outcome === outcome).length;
    if (count === 0) continue;
    const button = make("button", { type: "button", class: outcome, "data-outcome": outcome }, make("b", {}, String(count)), ` ${name}`);
    button.addEventListener("click", () => {
      if (!chosen.outcomes.delete(outcome)) chosen.outcomes.add(outcome);
      changed();
    });
    group.append(button);
  }
}

// A field with one value only is no choice.
function fillField(name, cases, changed) {
  const values = [...new Set(cases.flatMap((one) => valuesOf(one, name)))].sort();
  const select = byId(`filter-${name}`);
  select.append(make("option", { value: "" }, "all"), ...values.map((value) => make("option", { value }, value)));
  select.parentElement.hidden = values.length < 2;
  select.addEventListener("change", () => {
    chosen[name] = select.value;
    changed();
  });
}

function showChosen() {
  for (const button of byId("outcomes").children) button.setAttribute("aria-pressed", chosen.outcomes.has(button.dataset.outcome));
  if (byId("filter-text").value !== chosen.text) byId("filter-text").value = chosen.text;
  for (const name of FIELDS) byId(`filter-${name}`).value = chosen[name];
}

function clearChosen() {
  Object.assign(chosen, { outcomes: new Set(), text: "" }, Object.fromEntries(FIELDS.map((name) => [name, ""])));
}

function prepareFilters(cases, changed) {
  const changedByReader = () => {
    writeAddress();
    changed();
  };
  outcomeButtons(cases, changedByReader);
  for (const name of FIELDS) fillField(name, cases, changedByReader);
  byId("filter-text").addEventListener("input", (event) => {
    chosen.text = event.target.value.trim();
    changedByReader();
  });
  byId("filter-clear").addEventListener("click", () => {
    clearChosen();
    changedByReader();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
}
