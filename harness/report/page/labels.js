// A message in a few words, for the sequence diagram.
"use strict";

const LABEL_CEILING = 34; // characters

function shorten(text, ceiling = LABEL_CEILING) {
  const characters = Array.from(text);
  return characters.length > ceiling ? characters.slice(0, ceiling - 1).join("") + "…" : text;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The first plain members of an object that was cut, or undefined when it is none.
function parsedHead(text) {
  const member = /[{,]"((?:[^"\\]|\\.)*)":("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?=[,}])/suy;
  const head = {};
  for (let found = member.exec(text); found !== null; found = member.exec(text)) head[found[1]] = parsed(found[2]);
  return Object.keys(head).length > 0 ? head : undefined;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// A value or a pattern, as it reads behind a field's name; null when there is nothing to say.
function valueLabel(value) {
  if (value === undefined) return null;
  const operator = isObject(value) ? Object.keys(value)[0] : undefined;
  if (operator === undefined || !operator.startsWith("$")) return typeof value === "string" ? value : JSON.stringify(value);
  const signs = { $gt: ">", $gte: "≥", $lt: "<", $lte: "≤", $is: "the same " };
  if (operator in signs) return signs[operator] + valueLabel(value[operator]);
  if (operator === "$one-of" && Array.isArray(value[operator])) return value[operator].map(valueLabel).join("|");
  return operator === "$absent" ? null : operator === "$any" || operator === "$bind" ? "any" : JSON.stringify(value);
}

function field(name, value) {
  const label = valueLabel(value);
  return label === null ? null : `${name}${/^[<>≤≥]/.test(label) && isObject(value) ? "" : "="}${label}`;
}

function word(value) {
  return valueLabel(value);
}

function opsLabel(ops) {
  if (!Array.isArray(ops)) return null;
  if (ops.length === 0) return "no ops";
  const first = isObject(ops[0]) ? ops[0] : {};
  const path = Array.isArray(first.path) ? first.path.join(".") : "";
  const more = ops.length > 1 ? ` +${ops.length - 1}` : "";
  return `${first.kind ?? "op"} ${path === "" ? "[]" : path}${more}`;
}

const gone = (message) => (message.gone === true ? "gone" : null);

// What matters of each kind of message, most telling first.
const MESSAGE_PARTS = {
  hello: (m) => [field("seq", m.seq), field("schema", m.schemaVersion), m.proto === 1 ? null : field("proto", m.proto)],
  welcome: (m) => [word(m.mode), field("seq", m.seq), Array.isArray(m.envs) ? counted(m.envs.length, "env", "envs") : null],
  env: (m) => (isObject(m.env) ? [field("seq", m.env.seq), opsLabel(m.env.ops), field("schema", m.env.schemaVersion)] : []),
  presence: (m) => [isObject(m.peer) ? word(m.peer.origin) : null, gone(m), field("data", m.data)],
  member: (m) => [word(m.origin), gone(m)],
  signal: (m) => [field("to", m.to), field("from", m.from)],
  reject: (m) => [word(m.reason), field("expected", m.expected)],
  eject: (m) => [word(m.writer), word(m.reason)],
};

// `text` is a message or a pattern as JSON, or anything else.
function messageLabel(text) {
  const message = parsed(text) ?? parsedHead(text);
  if (!isObject(message)) return shorten(text === "" ? "(empty)" : text);
  const kind = typeof message.t === "string" ? message.t : Array.isArray(message.t) || isObject(message.t) ? "?" : message.env ? "env" : "";
  const parts = Object.hasOwn(MESSAGE_PARTS, kind) ? MESSAGE_PARTS[kind](message) : [shorten(text)];
  const room = typeof message.room === "string" && message.room !== "r" ? `room=${message.room}` : null;
  return shorten([kind, room, ...parts].filter((part) => part !== null && part !== "").join(" "));
}

// What an observer of the relay told, or a command to it: `commit {…}`, `violation {…}`, or plain words.
function noteLabel(text) {
  const [, name, json] = /^(commit|violation) (\{.*)$/s.exec(text) ?? [];
  const told = json === undefined ? undefined : parsed(json);
  if (!isObject(told)) return shorten(text, 44);
  const parts = name === "commit" ? [field("seq", told.env?.seq)] : [word(told.writer), word(told.reason)];
  return shorten([name, ...parts].filter((part) => part !== null).join(" "), 44);
}
