// The sequence diagram of a failing case: who said what to whom, in order of time, with what was wanted beside what came.
"use strict";

const SEQUENCE = { row: 34, top: 48, time: 46, character: 7.3, leastGap: 100, mostGap: 340, edge: 34, rows: 60 };

// ---- from a case to rows ----

// Which entries are drawn of a long run: its start, its end, and the neighbourhood of what the failure is about.
function isDrawn(index, count, focus) {
  const third = SEQUENCE.rows / 3;
  return count <= SEQUENCE.rows || index < third || index >= count - third || Math.abs(index - focus) <= third / 2;
}

function entryRow(entry) {
  const what = { connects: "connects", closed: "closed by the relay", leaves: "leaves" }[entry.kind];
  const note = !["connects", "closed", "leaves", "sends", "gets"].includes(entry.kind);
  const said = entry.text === "" ? "" : note ? noteLabel(entry.text) : messageLabel(entry.text);
  const actor = entry.actor === "clock" ? "clock: " : "";
  const label = what ?? (note ? `${actor}${entry.kind === "hydrated" || entry.kind === "restarted" ? `${entry.kind} ` : ""}${said}` : said);
  const line = entry.line === undefined ? "" : ` (line ${entry.line})`;
  return {
    actor: entry.actor, kind: entry.kind, note, label, us: entry.us, came: entry.unexpected === true,
    full: `${entry.actor} ${entry.kind}${entry.text === "" ? "" : ` ${entry.text}`}${line}`,
  };
}

function gapRow(count) {
  const label = `… ${counted(count, "entry", "entries")} left out …`;
  return { kind: "gap", label, full: label };
}

// What should have come, or what is wrong where no message is to blame.
function verdictRow(failure, hasCulprit) {
  const actor = failure.actor ?? "relay";
  if (failure.wanted !== undefined) {
    return { actor, kind: "wanted", note: actor === "relay", label: `wanted: ${messageLabel(failure.wanted)}`, full: `wanted ${failure.wanted}` };
  }
  if (hasCulprit) return null;
  return { actor: "relay", kind: "came", note: true, came: true, label: shorten(failure.message, 60), full: failure.message };
}

function sequenceRows(one) {
  const trace = one.trace ?? [];
  const focus = trace.findIndex((entry) => entry.unexpected === true);
  const verdict = one.failure === undefined ? null : verdictRow(one.failure, focus >= 0);
  const rows = [];
  let skipped = 0;
  trace.forEach((entry, index) => {
    skipped += entry.left_out ?? 0;
    if (!isDrawn(index, trace.length, focus < 0 ? trace.length : focus)) {
      skipped++;
      return;
    }
    if (skipped > 0) rows.push(gapRow(skipped));
    skipped = 0;
    rows.push(entryRow(entry));
    if (index === focus && verdict !== null) rows.push(verdict);
  });
  if (focus < 0 && verdict !== null) rows.push(verdict);
  return rows;
}

// ---- columns: the relay in the middle, so that few arrows cross another's line ----

const NAME_CEILING = 12; // characters

function boxWidth(name) {
  return Math.max(44, shorten(name, NAME_CEILING).length * SEQUENCE.character + 16);
}

function sequenceColumns(rows) {
  const clients = [...new Set(rows.filter((row) => row.kind !== "gap" && !row.note).map((row) => row.actor))];
  const middle = Math.ceil(clients.length / 2);
  const names = [...clients.slice(0, middle), "relay", ...clients.slice(middle)];
  const relay = middle;
  const gaps = names.slice(1).map((_, gap) => {
    const owner = gap < relay ? names[gap] : names[gap + 1];
    const longest = Math.max(0, ...rows.filter((row) => row.actor === owner && !row.note).map((row) => row.label.length));
    return Math.min(SEQUENCE.mostGap, Math.max(SEQUENCE.leastGap, longest * SEQUENCE.character + 24));
  });
  let x = SEQUENCE.time + Math.max(SEQUENCE.edge, boxWidth(names[0]) / 2);
  const at = new Map(names.map((name, index) => [name, (x += index === 0 ? 0 : gaps[index - 1])]));
  return { names, at, relay: at.get("relay"), left: SEQUENCE.time, width: x + Math.max(SEQUENCE.edge, boxWidth(names[names.length - 1]) / 2 + 4) };
}

// ---- drawing ----

function rowY(index) {
  return SEQUENCE.top + index * SEQUENCE.row + 22;
}

function arrow(from, to, y) {
  const back = to > from ? -8 : 8;
  return [draw("path", { d: `M${from} ${y}H${to}` }), draw("path", { class: "head", d: `M${to} ${y}l${back} -4v8z` })];
}

function cross(x, y) {
  return draw("path", { d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` });
}

function noteShapes(row, columns, y) {
  const width = row.label.length * SEQUENCE.character + 16;
  const center = Math.max(columns.left + width / 2, Math.min(columns.relay, columns.width - width / 2 - 2));
  return [
    draw("rect", { class: "note", x: center - width / 2, y: y - 17, width, height: 22, rx: 4 }),
    draw("text", { x: center, y: y - 2 }, row.label),
  ];
}

function messageShapes(row, columns, y) {
  const client = columns.at.get(row.actor);
  const neighbour = columns.names[columns.names.indexOf(row.actor) + (client < columns.relay ? 1 : -1)];
  const label = draw("text", { x: (client + columns.at.get(neighbour)) / 2, y: y - 6 }, row.label);
  const toRelay = row.kind === "sends" || row.kind === "connects" || row.kind === "leaves";
  const line = toRelay ? arrow(client, columns.relay, y) : arrow(columns.relay, client, y);
  const ends = row.kind === "closed" || row.kind === "leaves";
  return ends ? [label, line[0], cross(client, y)] : [label, ...line];
}

function rowShapes(row, columns, y) {
  if (row.kind === "gap") return [draw("text", { x: (columns.left + columns.width) / 2, y: y - 2 }, row.label)];
  return row.note || !columns.at.has(row.actor) ? noteShapes(row, columns, y) : messageShapes(row, columns, y);
}

function drawRow(row, index, columns) {
  const y = rowY(index);
  const kind = row.came ? `${row.kind} came` : row.kind;
  const time = row.us === undefined ? null : draw("text", { class: "seq-time", x: SEQUENCE.time - 4, y: y - 2 }, milliseconds(row.us));
  return draw("g", { class: `seq-row ${kind}`, role: "img", "aria-label": row.full, tabindex: index === 0 ? 0 : -1 },
    draw("title", {}, row.full),
    draw("rect", { class: "hit", x: 1, y: y - SEQUENCE.row + 11, width: columns.width - 2, height: SEQUENCE.row - 2, rx: 3 }),
    time, rowShapes(row, columns, y));
}

// A client's line is solid while it is connected.
function lifeline(name, rows, columns, bottom) {
  const x = columns.at.get(name);
  const away = draw("path", { class: "seq-away", d: `M${x} ${SEQUENCE.top - 14}V${bottom}` });
  const own = rows.map((row, index) => ({ ...row, y: rowY(index) })).filter((row) => row.actor === name && !row.note);
  const lines = [away];
  let since = name === "relay" || (own.length > 0 && own[0].kind !== "connects") ? SEQUENCE.top - 14 : null;
  for (const row of own) {
    if (row.kind === "connects") since ??= row.y;
    if ((row.kind === "closed" || row.kind === "leaves") && since !== null) {
      lines.push(draw("path", { class: "seq-there", d: `M${x} ${since}V${row.y}` }));
      since = null;
    }
  }
  if (since !== null) lines.push(draw("path", { class: "seq-there", d: `M${x} ${since}V${bottom}` }));
  return lines;
}

function actorBox(name, columns) {
  const shown = shorten(name, NAME_CEILING);
  const width = boxWidth(name);
  const x = columns.at.get(name);
  return draw("g", { class: "seq-actor" }, draw("title", {}, name), draw("rect", { x: x - width / 2, y: 8, width, height: 26, rx: 5 }),
    draw("text", { x, y: 25 }, shown));
}

// One row at a time can be reached with the tabulator, the others from it with the arrow keys; what is chosen is shown in full below.
function letRowsBeRead(svg, output) {
  const rows = [...svg.querySelectorAll(".seq-row")];
  const choose = (row) => {
    for (const other of rows) {
      other.classList.toggle("chosen", other === row);
      other.setAttribute("tabindex", other === row ? 0 : -1);
    }
    output.textContent = row.getAttribute("aria-label");
  };
  rows.forEach((row, index) => {
    row.addEventListener("click", () => choose(row));
    row.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const next = step === undefined ? undefined : rows[index + step];
      if (next === undefined) return;
      event.preventDefault();
      choose(next);
      next.focus();
    });
    row.addEventListener("focus", () => choose(row));
  });
}

// null when there is nothing to draw.
function sequenceDiagram(one) {
  // A store's transcript is requests with their answers, one a line: there is nobody to draw arrows between.
  if (one.profile === "store") return null;
  const rows = sequenceRows(one);
  if (rows.length === 0) return null;
  const columns = sequenceColumns(rows);
  const longest = Math.max(...rows.filter((row) => row.note || row.kind === "gap").map((row) => row.label.length), 0);
  columns.width = Math.max(columns.width, columns.left + longest * SEQUENCE.character + 24);
  const bottom = rowY(rows.length - 1) + 14;
  const height = bottom + 6;
  const svg = draw("svg", { width: columns.width, height, viewBox: `0 0 ${columns.width} ${height}`, role: "group", "aria-label": "Sequence diagram" },
    rows.map((row, index) => drawRow(row, index, columns)));
  const lines = columns.names.flatMap((name) => lifeline(name, rows, columns, bottom));
  const firstShape = svg.firstChild;
  for (const line of lines) svg.insertBefore(line, firstShape);
  for (const name of columns.names) svg.append(actorBox(name, columns));
  const output = make("output", {}, "Choose an arrow to read the whole message.");
  letRowsBeRead(svg, output);
  return make("figure", { class: "sequence" },
    make("div", { class: "frame", tabindex: 0, role: "region", "aria-label": "Sequence diagram, scrolls sideways" }, svg), output,
    make("figcaption", {}, "Times in milliseconds. Green and dashed: what was wanted. Red: what the failure is about. ✕: the connection ends."));
}
