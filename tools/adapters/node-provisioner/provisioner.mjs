#!/usr/bin/env node
/*
 * A provisioner in JavaScript, written from the rules alone: a second opinion beside the reference one in C.
 *
 * One JSON request on standard input, one JSON answer on standard output:
 *   {"op": "status" | "apply", "app": {…}, "permissions": {…}, "target": {"url", "appId", "adminSecret"}}
 *   {"result": {…}} or {"error": {"code", "message", …}}
 *
 * JSON.parse forgets how numbers and escapes were spelled, and siblings must be carried as they are. So it only judges a text and decodes
 * single scalars; the rest is a tree of spans over the text.
 */
import process from 'node:process';

const MAX_DEPTH = 1000; // what walks a tree recurses; nothing deeper gets that far
const MAX_BYTES = 64 * 1024 * 1024;
const REQUEST_MILLISECONDS = 60_000;
const EXCERPT_CHARACTERS = 200; // of a body, in an error

class Refusal extends Error {
  constructor(code, message, details = {}) {
    super(message);
    Object.assign(this, { code, details });
  }
}

// ---- JSON as spans over its text ------------------------------------------------------------------

/** One value: where it stands in the text, the name it has in its object, and what is in it. */
class Span {
  constructor(text, start, end, parent, nameText) {
    Object.assign(this, { text, start, end, parent, nameText, children: [] });
    this.name = nameText === undefined ? undefined : JSON.parse(nameText);
    this.kind = { '{': 'object', '[': 'array', '"': 'string', t: 'boolean', f: 'boolean', n: 'null' }[text[start]] ?? 'number';
  }

  get raw() { return this.text.slice(this.start, this.end); }
  get scalar() { return JSON.parse(this.raw); }
  get asMember() { return `${this.nameText}:${this.raw}`; }

  /** The member of that name (the last, should there be several), or undefined. */
  get(name) {
    if (this.kind !== 'object') return undefined;
    this.byName ??= new Map(this.children.map((child) => [child.name, child]));
    return this.byName.get(name);
  }

  says(word) { return this.kind === 'string' && this.scalar === word; }

  get path() {
    return this.parent === undefined ? '$' : `${this.parent.path}[${this.nameText ?? this.parent.children.indexOf(this)}]`;
  }
}

function endOfString(text, start) {
  for (let at = start + 1; ; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
}

/** Reads a JSON text into spans; a loop, so that depth costs no stack. Throws a SyntaxError when it is no JSON. */
function readJson(text) {
  JSON.parse(text); // the judge of the grammar: what follows only has to find where things are
  const token = /"|[{}[\]]|[^\s,:{}[\]"]+/g;
  let root, open, depth = 0, nameText;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const start = found.index;
    if (found[0] === '"') token.lastIndex = endOfString(text, start);
    if (found[0] === '}' || found[0] === ']') {
      open.end = token.lastIndex;
      open = open.parent;
      depth--;
    } else if (open?.kind === 'object' && nameText === undefined) {
      nameText = text.slice(start, token.lastIndex);
    } else {
      const span = new Span(text, start, token.lastIndex, open, nameText);
      nameText = undefined;
      root ??= span;
      open?.children.push(span);
      if (span.kind !== 'object' && span.kind !== 'array') continue;
      if (++depth > MAX_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_DEPTH} levels`);
      open = span;
    }
  }
  return root;
}

const decodeUtf8 = (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
const members = (texts) => `{${texts.join(',')}}`;
const membersOf = (spans) => members(spans.map((span) => span.asMember));
const list = (texts) => `[${texts.join(',')}]`;

/** A text that is the same for JSON-equal values: keys sorted, numbers as doubles. */
function canonical(span) {
  switch (span?.kind) {
    case 'object':
      return members([...new Set(span.children.map((child) => child.name))].sort()
        .map((name) => `${JSON.stringify(name)}:${canonical(span.get(name))}`));
    case 'array': return list(span.children.map(canonical));
    case 'number': return String(Number(span.raw) + 0);
    default: return JSON.stringify(span?.scalar ?? null);
  }
}

// ---- apps -----------------------------------------------------------------------------------------

const badInput = (span, what) => new Refusal('bad-input', `${span.path}: ${what}`, { path: span.path });

/** The namespace of a stored table, or undefined. */
function namespaceOf(table) {
  const end = table.indexOf('__');
  return end > 0 ? table.slice(0, end) : undefined;
}

function checkName(span, kind) {
  const name = span.name;
  if (name === '' || name.includes('.') || name.includes('__')) {
    throw badInput(span, `a ${kind}'s name must not be empty and holds neither "." nor "__"`);
  }
  if (kind === 'namespace' && name.endsWith('_')) throw badInput(span, 'a namespace ending in "_" could not be told from a shorter one');
}

function checkUnique(span, kind, nameOf = (child) => child.name) {
  if (new Set(span.children.map(nameOf)).size < span.children.length) throw badInput(span, `two ${kind}s here have the same name`);
}

function columnsOf(table) {
  const columns = table.get('columns');
  if (columns?.kind !== 'array') throw badInput(table, 'a table needs a list "columns"');
  for (const column of columns.children) {
    if (column.get('name')?.kind !== 'string' || column.get('name').says('')) throw badInput(column, 'a column needs a "name"');
  }
  checkUnique(columns, 'column', (column) => column.get('name').scalar);
  return columns.children;
}

function resolveReference(span, home, namespaces) {
  if (span.kind === 'null') return 'null';
  if (span.kind !== 'string' || span.scalar.includes('__')) throw badInput(span, 'a reference is written "table" or "namespace.table"');
  const [first, second, ...more] = span.scalar.split('.');
  const [space, table] = second === undefined ? [home, first] : [first, second];
  if (more.length > 0 || namespaces.get(space)?.get('tables')?.get(table) === undefined) throw badInput(span, 'no such table');
  return JSON.stringify(`${space}__${table}`);
}

const COLUMN_PARTS = ['name', 'column_type', 'nullable', 'references', 'default', 'merge_strategy'];

function compileColumn(column, home, namespaces) {
  if (column.get('column_type')?.get('type')?.kind !== 'string') throw badInput(column, 'a column needs a "column_type" with a "type"');
  return members(column.children.map((part) => {
    if (!COLUMN_PARTS.includes(part.name)) throw badInput(part, 'a column has no such part');
    return part.name === 'references' ? `${part.nameText}:${resolveReference(part, home, namespaces)}` : part.asMember;
  }));
}

function compileTable(table, home, namespaces) {
  checkName(table, 'table');
  const columns = columnsOf(table).map((column) => compileColumn(column, home, namespaces));
  return `${JSON.stringify(`${home}__${table.name}`)}:{"columns":${list(columns)}}`;
}

function compileNested(namespaces) {
  if (namespaces.children.length === 0) throw badInput(namespaces, 'an app declares at least one namespace');
  checkUnique(namespaces, 'namespace');
  const tables = namespaces.children.flatMap((space) => {
    checkName(space, 'namespace');
    const declared = space.get('tables');
    if (declared?.kind !== 'object' || declared.children.length === 0) throw badInput(space, 'a namespace has at least one table');
    checkUnique(declared, 'table');
    return declared.children.map((table) => compileTable(table, space.name, namespaces));
  });
  return { tables: readJson(members(tables)), namespaces: new Set(namespaces.children.map((space) => space.name)) };
}

function readCompiled(app, tables) {
  const listed = app.get('namespaces')?.children ?? [];
  if (app.get('kind')?.says('flat') || (!app.get('kind')?.says('nested') && listed.length === 0)) {
    throw new Refusal('not-nested', 'the app declares no namespace and cannot share a store');
  }
  const names = listed.length > 0 ? listed.map((entry) => entry.scalar) : tables.children.map((table) => namespaceOf(table.name));
  const slice = { tables, namespaces: new Set(names.filter((name) => typeof name === 'string' && name !== '')) };
  if (tables.children.length === 0) throw badInput(tables, 'an app has at least one table');
  checkUnique(tables, 'table');
  for (const table of tables.children) {
    if (!owns(slice, table.name)) throw badInput(table, "the table lies in none of the app's namespaces");
    if (!/__(?!.*__)[^.]+$/su.test(table.name)) throw badInput(table, 'this is not namespace__table');
    columnsOf(table);
  }
  return slice;
}

/** The app's compiled tables and its namespaces. */
function sliceOf(app) {
  if (app?.get('namespaces')?.kind === 'object') return compileNested(app.get('namespaces'));
  const tables = app?.get('tables');
  if (tables?.kind !== 'object') throw new Refusal('bad-input', 'the request needs an "app" with "namespaces" or "tables"');
  return readCompiled(app, tables);
}

const without = (tables, others) => tables.children.filter((table) => others.get(table.name) === undefined);
const owns = (slice, table) => slice.namespaces.has(namespaceOf(table));

// ---- permissions: raw literals become tagged ones -------------------------------------------------

const tag = (type, text) => `{"type":"${type}","value":${text}}`;
const refuseLiteral = (span, why) => new Refusal('policy-literal', `${span.path}: ${why}`, { path: span.path });
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function numberLiteral(span) {
  const number = Number(span.raw);
  if (!Number.isFinite(number)) throw refuseLiteral(span, 'this number is not finite');
  if (!Number.isSafeInteger(number)) return tag('Double', span.raw);
  return tag(number === (number | 0) ? 'Integer' : 'BigInt', String(number + 0));
}

function literal(span) {
  switch (span.kind) {
    case 'null': return '{"type":"Null"}';
    case 'boolean': return tag('Boolean', span.raw);
    case 'number': return numberLiteral(span);
    case 'string': return tag(UUID.test(span.scalar) ? 'Uuid' : 'Text', span.raw);
    case 'array': return tag('Array', list(span.children.map(literal)));
    default: break;
  }
  const only = span.children.length === 1 ? span.children[0] : undefined;
  if (only?.name === '$date') {
    const time = only.kind === 'number' && Number.isInteger(only.scalar) ? new Date(only.scalar).getTime() : NaN;
    if (Number.isNaN(time)) throw refuseLiteral(only, 'this is no date');
    return tag('Timestamp', String(time));
  }
  if (only?.name !== '$bytes' && span.get('type')?.kind === 'string') return span.raw;
  throw refuseLiteral(span, 'the wire has no literal for this');
}

function policyValue(span) {
  if (span.get('type')?.says('SessionRef')) return span.raw;
  return tag('Literal', literal(span.get('value') ?? span));
}

function bareLiteral(span) {
  const inner = span.kind === 'object' ? span.get('value') : span;
  if (inner === undefined) throw refuseLiteral(span, 'compared with the session, an object must hold a "value"');
  return literal(inner);
}

/** Turns an encoder of one value into one of a list. */
const each = (encode) => (span) => {
  if (span.kind !== 'array') throw badInput(span, 'a list must stand here');
  return list(span.children.map((child) => encode(child)));
};

/** Turns encoders by name into one of an object: its other members stay, and those named must be there. */
const parts = (encoders) => (span) => {
  if (span.kind !== 'object') throw badInput(span, 'an object must stand here');
  for (const name of Object.keys(encoders)) {
    if (span.get(name) === undefined) throw (name === 'value' ? refuseLiteral : badInput)(span, `"${name}" is missing`);
  }
  return members(span.children.map((child) => encodeMember(encoders, child)));
};

/** A member, its value encoded by what `encoders` has for its name, unchanged when there is nothing. */
function encodeMember(encoders, child) {
  return Object.hasOwn(encoders, child.name) ? `${child.nameText}:${encoders[child.name](child)}` : child.asMember;
}

/** Turns encoders by variant into one of `{"Variant": …}`. */
const variants = (encoders) => (span) =>
  (span.kind === 'object' ? members(span.children.map((child) => encodeMember(encoders, child))) : span.raw);

const valueRef = variants({ Literal: literal });
const predicate = (span) => variants({
  Cmp: parts({ right: valueRef }), Contains: parts({ right: valueRef }), In: parts({ values: each(valueRef) }),
  And: each(predicate), Or: each(predicate), Not: predicate,
})(span);

const relation = (span) => variants({
  Filter: parts({ input: relation, predicate }), Union: parts({ inputs: each(relation) }),
  Join: parts({ left: relation, right: relation }), Gather: parts({ seed: relation, step: relation }),
  ...Object.fromEntries(['Project', 'Distinct', 'OrderBy', 'Offset', 'Limit'].map((name) => [name, parts({ input: relation })])),
})(span);

const expressions = {
  Cmp: parts({ value: policyValue }), Contains: parts({ value: policyValue }), InList: parts({ values: each(policyValue) }),
  SessionCmp: parts({ value: bareLiteral }), SessionContains: parts({ value: bareLiteral }),
  SessionInList: parts({ values: each(bareLiteral) }),
  Exists: parts({ condition: expression }), ExistsRel: parts({ rel: relation }),
  And: parts({ exprs: each(expression) }), Or: parts({ exprs: each(expression) }), Not: parts({ expr: expression }),
};

function expression(span) {
  const type = span.get('type');
  const known = type?.kind === 'string' && Object.hasOwn(expressions, type.scalar);
  return known ? expressions[type.scalar](span) : span.raw;
}

/** A member with only those of its own members that `keep` lets through, each encoded by `encode`. */
const prune = (span, keep, encode) => `${span.nameText}:${members(span.children.filter(keep).map(encode))}`;
const isPolicy = (span) => ['select', 'insert', 'update', 'delete'].includes(span.name) && span.kind === 'object';
const isCondition = (span) => span.name === 'using' || span.name === 'with_check';
const encodeCondition = (span) => `${span.nameText}:${expression(span)}`;
const encodeTable = (table) => prune(table, isPolicy, (policy) => prune(policy, isCondition, encodeCondition));

function checkPermissions(permissions, slice) {
  if (permissions?.kind !== 'object') throw new Refusal('bad-input', 'provisioning needs "permissions", an object');
  const tables = permissions.children.map((table) => table.name).filter((name) => !owns(slice, name));
  if (tables.length > 0) throw new Refusal('outside-namespace', `these tables are outside the app's namespaces: ${tables.join(', ')}`, { tables });
  checkUnique(permissions, 'table');
  for (const table of permissions.children) if (table.kind !== 'object') throw badInput(table, "a table's permissions are an object");
}

// ---- the store ------------------------------------------------------------------------------------

async function collect(stream) {
  const chunks = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error(`it is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const escapeUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const quoteForRegExp = (text) => text.replace(/[^\w]/g, (c) => (c < '\x80' ? `\\${c}` : c));

class Store {
  constructor(target) {
    const part = (name) => target?.get(name)?.kind === 'string' ? target.get(name).scalar : '';
    const [text, appId, secret] = [part('url'), part('appId'), part('adminSecret')];
    const url = URL.canParse(text) ? new URL(text) : {};
    if (!/^https?:$/.test(url.protocol) || `${url.username}${url.password}` !== '' || /[?#]/.test(text)) throw new Refusal('bad-input', 'the target needs a plain http or https "url"');
    if (['', '.', '..'].includes(appId) || /\p{Surrogate}/u.test(appId)) throw new Refusal('bad-input', 'the target needs an "appId"');
    if (secret === '' || /[\0-\x1f\x7f]/.test(secret)) throw new Refusal('bad-input', 'the target needs an "adminSecret"');
    this.secret = secret;
    this.base = `${text.trim().replace(/\/+$/, '')}/apps/${encodeURIComponent(appId)}/`;
  }

  failure(request, what, status, body = '') {
    const spellings = (c) => [c, JSON.stringify(c).slice(1, -1), c.split('').map(escapeUnit).join('')].map(quoteForRegExp);
    const anySpelling = new RegExp([...this.secret].map((c) => `(?:${spellings(c).join('|')})`).join(''), 'gi');
    const hide = (text) => text.replaceAll(this.secret, '[secret]').replace(anySpelling, '[secret]');
    const excerpt = [...hide(body).slice(0, 2 * EXCERPT_CHARACTERS)].slice(0, EXCERPT_CHARACTERS).join('');
    const message = hide(`${request} ${what}`) + (excerpt === '' ? '' : `: ${excerpt}`);
    return new Refusal('http', message, { request: hide(request), status });
  }

  /** The head of the answer; its body is read from it. Redirects are not followed: the secret goes to the named store only. */
  async send(method, url, body) {
    // Not fetch, which takes longer to load than all the rest of a run, and a run is a process of its own.
    const http = await import(url.protocol === 'https:' ? 'node:https' : 'node:http');
    this.agent ??= new http.Agent({ keepAlive: true });
    return new Promise((resolve, reject) => {
      http.request(url, {
        method,
        agent: this.agent,
        signal: AbortSignal.timeout(REQUEST_MILLISECONDS),
        headers: {
          'Content-Type': 'application/json',
          'X-Jazz-Admin-Secret': Buffer.from(this.secret).toString('latin1'), // header bytes are UTF-8
        },
      }, resolve).on('error', reject).end(body === undefined ? undefined : Buffer.from(body)); // a string would be joined to the head and change its bytes
    });
  }

  async ask(method, path, body) {
    const request = `${method} ${this.base}${path}`;
    let status, bytes;
    try {
      const response = await this.send(method, new URL(this.base + path), body);
      status = response.statusCode;
      bytes = await collect(response);
    } catch (error) {
      throw this.failure(request, `failed: ${error.cause?.message || error.message || error.code}`);
    }
    const fail = (rest) => this.failure(request, `answered ${status}${rest}`, status, bytes.toString('utf8'));
    if (status < 200 || status > 299) throw fail('');
    try {
      return Object.assign(readJson(decodeUtf8(bytes)), { lacks: (what) => fail(`, but has no ${what}`) });
    } catch {
      throw fail(', but the body is not JSON');
    }
  }

  /** The part of an answer that `path` names; of one of the `kinds`, or the answer is of no use. */
  take(answer, path, ...kinds) {
    const span = path.split('.').reduce((at, name) => at?.get(name), answer);
    if (!kinds.includes(span?.kind)) throw answer.lacks(`${path} that is one of: ${kinds.join(', ')}`);
    return span;
  }

  takeHash(answer, path) {
    const hash = this.take(answer, path, 'string').scalar;
    if (!/^[0-9a-f]{64}$/.test(hash)) throw answer.lacks(`${path} that is a hash`);
    return hash;
  }

  /** What is deployed, or undefined. */
  async read() {
    const hashes = this.take(await this.ask('GET', 'schemas'), 'hashes', 'array').children;
    const answer = await this.ask('GET', 'admin/permissions');
    if (this.take(answer, 'head', 'object', 'null').kind === 'null') return undefined;
    const headHash = this.takeHash(answer, 'head.schemaHash');
    const bundle = this.take(answer, 'head.bundleObjectId', 'string').raw;
    const policies = answer.get('permissions') ? this.take(answer, 'permissions', 'object', 'null').children : [];
    if (hashes.length === 0) return undefined;
    const tables = this.take(await this.ask('GET', `schema/${headHash}`), 'schema', 'object');
    return { headHash, bundle, tables, policies };
  }

  async publishSchema(tables) {
    return this.takeHash(await this.ask('POST', 'admin/schemas', `{"schema":${membersOf(tables)}}`), 'hash');
  }

  async publishPermissions(schemaHash, permissions, parent) {
    const body = `{"schemaHash":"${schemaHash}","permissions":${permissions},"expectedParentBundleObjectId":${parent}}`;
    return this.takeHash(await this.ask('POST', 'admin/permissions', body), 'head.schemaHash');
  }

  async publishMigration(from, to, tables) {
    const lenses = tables.map((table) => `{"table":${table.nameText},"added":true,"operations":[]}`);
    await this.ask('POST', 'admin/migrations', `{"fromHash":"${from}","toHash":"${to}","forward":${list(lenses)}}`);
  }

  async connected(from, to) {
    const answer = await this.ask('GET', `admin/schema-connectivity?fromHash=${from}&toHash=${to}`);
    return this.take(answer, 'connected', 'boolean').scalar;
  }
}

// ---- classifying and provisioning -----------------------------------------------------------------

/** A table as it is compared: its columns by name, what is absent filled in. */
function shape(table) {
  const columns = table.get('columns');
  if (columns?.kind !== 'array') return undefined;
  return columns.children.map((column) => {
    const part = (name) => canonical(column.get(name));
    const nullable = part('nullable') === 'null' ? 'false' : part('nullable');
    return list([part('name'), part('column_type'), nullable, part('references'), part('default'), part('merge_strategy')]);
  }).sort().join();
}

function classify(slice, deployed) {
  if (deployed === undefined) return { state: 'no_schema' };
  const { headHash, tables } = deployed;
  const missing = without(slice.tables, tables);
  const differing = slice.tables.children.filter((table) => {
    const stored = tables.get(table.name);
    return stored !== undefined && shape(stored) !== shape(table);
  });
  const undeclared = without(tables, slice.tables).filter((table) => owns(slice, table.name));
  const drifted = [...differing, ...undeclared].map((table) => table.name);
  if (drifted.length > 0) return { state: 'schema_drift', headHash, driftedTables: drifted };
  if (missing.length > 0) return { state: 'schema_out_of_date', headHash, missingTables: missing.map((table) => table.name) };
  return { state: 'ok', headHash };
}

async function ensureConnected(store, slice, deployed, headHash) {
  const own = await store.publishSchema(slice.tables.children);
  if (own === headHash || await store.connected(own, headHash)) return;
  await store.publishMigration(own, headHash, without(deployed.tables, slice.tables));
}

async function merge(store, slice, permissions, deployed) {
  const missing = without(slice.tables, deployed.tables);
  const siblings = deployed.policies.filter((table) => !owns(slice, table.name)).map((table) => table.asMember);
  const bundle = members([...siblings, ...permissions.children.map(encodeTable)]);
  const union = await store.publishSchema([...deployed.tables.children, ...missing]);
  await store.publishMigration(deployed.headHash, union, missing);
  const headHash = await store.publishPermissions(union, bundle, deployed.bundle);
  await ensureConnected(store, slice, deployed, union);
  return { status: 'updated', headHash };
}

async function provision(store, slice, permissions) {
  const deployed = await store.read();
  const { state, headHash, driftedTables: tables } = classify(slice, deployed);
  if (state === 'schema_drift') throw new Refusal('schema-drift', `the store has other tables than the app: ${tables.join(', ')}`, { tables });
  if (state === 'schema_out_of_date') return merge(store, slice, permissions, deployed);
  if (state === 'ok') {
    await ensureConnected(store, slice, deployed, headHash);
    return { status: 'unchanged', headHash };
  }
  const bundle = members(permissions.children.map(encodeTable));
  const hash = await store.publishSchema(slice.tables.children);
  return { status: 'created', headHash: await store.publishPermissions(hash, bundle, 'null') };
}

async function answerTo(stream) {
  const request = await collect(stream).then(decodeUtf8).then(readJson).catch((error) => {
    throw new Refusal('bad-input', `the request is not JSON: ${error.message}`);
  });
  const op = request.get('op');
  if (!op?.says('status') && !op?.says('apply')) throw new Refusal('bad-input', '"op" must be "status" or "apply"');
  const slice = sliceOf(request.get('app'));
  if (op.says('status')) return classify(slice, await new Store(request.get('target')).read());
  checkPermissions(request.get('permissions'), slice);
  return provision(new Store(request.get('target')), slice, request.get('permissions'));
}

const answer = await answerTo(process.stdin).then((result) => ({ result }), (error) => {
  if (!(error instanceof Refusal)) throw error; // a fault of this program: it ends with its stack on standard error
  return { error: { code: error.code, message: error.message, ...error.details } };
});
process.stdout.write(`${JSON.stringify(answer)}\n`);
