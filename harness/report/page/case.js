// What a case shows when it is opened.
"use strict";

const OUTCOMES = {
  fail: "failed", error: "error", xpass: "list wrong", warning: "warning", remark: "remark", xfail: "known", skip: "skipped", pass: "passed",
};

function badge(outcome) {
  return make("span", { class: `badge ${outcome}` }, OUTCOMES[outcome]);
}

// Why a case is not a plain pass, in one line.
function reasonOf(one) {
  if (one.outcome === "xfail") return `known to fail: ${one.known ?? ""}`;
  if (one.outcome === "xpass") return `it passes, but is listed as known to fail: ${one.known ?? ""}`;
  if (one.failure === undefined) return one.reason ?? "";
  const first = one.failure.differences[0];
  return first === undefined ? one.failure.message
    : `${one.failure.message}: ${first.path === "" ? "" : `${first.path}: `}wanted ${shorten(first.wanted, 80)}, came ${shorten(first.came, 80)}`;
}

function clauseList(one) {
  return make("ul", { class: "clauses" }, one.clauses.map((clause) =>
    make("li", {}, make("span", { class: "level" }, clause.level), " ", make("code", {}, clause.id), " ", clause.text)));
}

function place(one) {
  const at = one.failure !== undefined && one.failure.line > 0 ? `:${one.failure.line}:${one.failure.column}` : "";
  return make("code", {}, one.file + at);
}

function columnHead(name) {
  return make("th", { scope: "col", class: name === "line" || name === "ms" ? "number" : false }, name);
}

function differenceTable(differences) {
  if (differences.length === 0) return null;
  const head = make("tr", {}, ["path", "wanted", "came", "line"].map(columnHead));
  return [make("h2", {}, "Differences"),
    make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, differences.map((difference) =>
      make("tr", {}, make("td", {}, make("code", {}, difference.path === "" ? "(the whole)" : difference.path)),
        make("td", { class: "is-wanted" }, make("code", {}, difference.wanted)), make("td", { class: "is-came" }, make("code", {}, difference.came)),
        make("td", { class: "number" }, difference.line > 0 ? String(difference.line) : ""))))))];
}

const PRETTY_DEPTH = 12; // levels that get lines of their own

// JSON on several lines. Only blanks are added: numbers and escapes stay as they came, and what is no JSON (or is cut) stays readable.
function pretty(text) {
  let depth = 0;
  const onLine = () => (depth <= PRETTY_DEPTH ? `\n${"  ".repeat(depth)}` : "");
  const pieces = text.match(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|[^"[\]{},:]+|"/gsu) ?? [];
  return pieces.map((piece) => {
    if (piece === "{" || piece === "[") {
      depth++;
      return piece + onLine();
    }
    if (piece === "}" || piece === "]") {
      const line = depth <= PRETTY_DEPTH;
      depth = Math.max(0, depth - 1);
      return (line ? `\n${"  ".repeat(depth)}` : "") + piece;
    }
    return piece === "," ? piece + (onLine() || " ") : piece === ":" ? ": " : piece;
  }).join("");
}

// A message that is no JSON is shown as it came.
function shownValue(text) {
  return /^[[{]/.test(text) ? pretty(text) : text;
}

function wantedAndCame(failure) {
  if (failure.wanted === undefined && failure.came === undefined) return null;
  const side = (name, kind, text) => (text === undefined ? null
    : make("div", { class: `is-${kind}` }, make("h3", {}, name), make("pre", {}, shownValue(text))));
  const came = failure.came === undefined && failure.wanted !== undefined ? "nothing" : failure.came;
  return make("div", { class: "pair" }, side("Wanted", "wanted", failure.wanted), side("Came", "came", came));
}

function diagram(one) {
  const figure = one.failure === undefined && one.outcome !== "error" ? null : sequenceDiagram(one);
  return figure === null ? null : [make("h2", {}, "Sequence"), figure];
}

const DIRECTIONS = { sends: "→ sends", gets: "← gets", closed: "✕ closed by the relay", leaves: "✕ leaves", connects: "connects as" };

function transcriptRow(entry) {
  return make("tr", { class: entry.unexpected === true ? "unexpected" : false },
    make("td", { class: "number" }, milliseconds(entry.us)), make("td", { class: "short" }, entry.actor), make("td", { class: "short" }, DIRECTIONS[entry.kind] ?? entry.kind),
    make("td", {}, make("code", {}, entry.text), entry.unexpected === true ? " ◀ this one" : null),
    make("td", { class: "number" }, entry.line === undefined ? "" : String(entry.line)));
}

function transcript(one) {
  if (one.trace === undefined) return null;
  const gap = (count) => make("tr", { class: "gap" }, make("td", { colspan: 5 }, `… ${counted(count, "entry", "entries")} left out …`));
  const head = make("tr", {}, ["ms", "who", "what", "message", "line"].map(columnHead));
  return make("details", { open: one.trace.length <= 40 }, make("summary", {}, `Transcript (${counted(one.trace.length, "entry", "entries")})`),
    make("div", { class: "scroll" }, make("table", { class: "transcript" }, make("thead", {}, head), make("tbody", {},
      one.trace.map((entry) => [entry.left_out === undefined ? null : gap(entry.left_out), transcriptRow(entry)])))));
}

function again(one) {
  const button = make("button", { type: "button" }, "Copy");
  const command = make("pre", {}, one.again);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(one.again);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(command); // no clipboard for pages from files: what is selected can be copied by hand
      button.textContent = "Selected";
    }
  });
  return [make("h2", {}, "Again"), make("div", { class: "again" }, command, button)];
}

function reruns(one) {
  if (one.runs === undefined) return null;
  const word = one.failed_runs === one.runs ? "Stable" : "Flaky";
  return make("p", {}, `${word}: failed ${one.failed_runs} of ${counted(one.runs, "time", "times")}.`);
}

function failureParts(one) {
  const failure = one.failure;
  if (failure === undefined) return make("p", { class: "message" }, reasonOf(one));
  return [make("p", { class: "message" }, failure.message), failure.rule === undefined ? null : make("p", {}, "Rule ", make("code", {}, failure.rule)),
    one.outcome === "xfail" ? make("p", {}, reasonOf(one)) : null, reruns(one), differenceTable(failure.differences), wantedAndCame(failure)];
}

function caseBody(one) {
  return make("div", { class: `body ${one.outcome}` }, make("p", {}, one.title), clauseList(one),
    make("p", {}, place(one), one.plays > 1 ? ` played ${one.plays} times` : ""),
    one.outcome === "pass" ? null : failureParts(one), diagram(one), transcript(one), again(one));
}

// The line of a case; what is in it is made when it is opened.
function caseItem(one) {
  const summary = make("summary", {}, badge(one.outcome),
    make("span", {}, make("span", { class: "name" }, one.name), " ", make("span", { class: "profile" }, one.profile)),
    make("span", { class: "time" }, `${milliseconds(one.us)} ms`),
    one.outcome === "pass" ? null : make("span", { class: "why" }, shorten(reasonOf(one), 220)));
  const details = make("details", { class: "case", id: one.id }, summary);
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(caseBody(one));
  });
  return make("li", {}, details);
}
