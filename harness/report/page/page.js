// Puts the page together from the report in it.
"use strict";

const PAGE_ROWS = 300; // cases that are listed at once

const report = JSON.parse(byId("data").textContent);
const worth = Object.keys(OUTCOMES);
const cases = report.cases.map((one, index) => ({ ...one, id: `case-${index}`, search: searchable(one) }))
  .sort((one, other) => worth.indexOf(one.outcome) - worth.indexOf(other.outcome)); // the worst first

// ---- the head ----

function fact(name, value) {
  return make("div", {}, make("dt", {}, name), make("dd", {}, value));
}

function showHead() {
  const run = report.run;
  byId("headline").classList.add(report.summary.exit === 0 ? "good" : "bad");
  byId("run").append(fact("target", make("code", {}, run.target)), fact(run.profiles.length === 1 ? "profile" : "profiles", run.profiles.join(", ")),
    fact("seed", run.seed), fact("meshspec", run.version));
  if (run.strict) byId("run").append(fact("strict", "yes"));
  if (run.started !== undefined) byId("run").append(fact("started", run.started.replace("T", " ").replace("Z", " UTC")));
}

function countsOf(some) {
  return Object.keys(OUTCOMES).map((outcome) => [outcome, some.filter((one) => one.outcome === outcome).length]).filter(([, count]) => count > 0);
}

function showBar() {
  const counts = countsOf(cases);
  byId("bar").setAttribute("aria-label", counts.map(([outcome, count]) => `${count} ${OUTCOMES[outcome]}`).join(", "));
  byId("bar").append(...counts.map(([outcome, count]) => make("span", { class: outcome, style: `flex: ${count} 1 0`, title: `${count} ${OUTCOMES[outcome]}` })));
}

function showNotices() {
  for (const line of report.unmatched) {
    byId("notices").append(make("p", { class: "notice" }, `Line ${line.line} of the known failures means no case: `, make("code", {}, line.glob)));
  }
  if (report.summary.left_out > 0) {
    byId("notices").append(make("p", { class: "notice" }, `${counted(report.summary.left_out, "case is", "cases are")} counted, but not listed here: the page would grow too large. The JSON report has more.`));
  }
}

function showAreas() {
  const outcomes = countsOf(cases).map(([outcome]) => outcome);
  const areas = [...new Set(cases.map((one) => one.area))].sort();
  const number = (count) => make("td", { class: "number" }, count === 0 ? "" : String(count));
  const row = (area) => {
    const own = cases.filter((one) => one.area === area);
    return make("tr", {}, make("th", { scope: "row" }, make("a", { href: `#${new URLSearchParams({ area })}` }, area)), number(own.length),
      outcomes.map((outcome) => number(own.filter((one) => one.outcome === outcome).length)));
  };
  const head = make("tr", {}, make("th", { scope: "col" }, "area"), ["cases", ...outcomes.map((outcome) => OUTCOMES[outcome])].map((name) => make("th", { scope: "col", class: "number" }, name)));
  byId("areas").append(make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, areas.map(row)))));
}

// ---- the list ----

let matching = [];
let listed = 0;

function listMore() {
  byId("cases").append(...matching.slice(listed, listed + PAGE_ROWS).map(caseItem));
  listed = Math.min(matching.length, listed + PAGE_ROWS);
  byId("more").hidden = listed === matching.length;
  byId("more").textContent = `Show ${Math.min(PAGE_ROWS, matching.length - listed)} more of ${matching.length - listed}`;
}

function showCases() {
  matching = cases.filter(isShown);
  listed = 0;
  byId("cases").replaceChildren();
  byId("shown").textContent = matching.length === cases.length ? counted(cases.length, "case", "cases") : `${matching.length} of ${counted(cases.length, "case", "cases")}`;
  showChosen();
  listMore();
}

// Shows what the page's address asks for: `#case=NAME@PROFILE` opens a case, the rest are filters.
function showAddress() {
  const wanted = readAddress();
  showCases();
  const index = matching.findIndex((one) => `${one.name}@${one.profile}` === wanted || one.name === wanted);
  if (index < 0) return;
  while (listed <= index) listMore();
  const details = byId(matching[index].id);
  details.open = true;
  details.scrollIntoView();
}

prepareTheme();
showHead();
showBar();
showNotices();
showAreas();
prepareFilters(cases, showCases);
byId("more").addEventListener("click", listMore);
addEventListener("hashchange", showAddress);
showAddress();
