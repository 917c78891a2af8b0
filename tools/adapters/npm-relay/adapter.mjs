#!/usr/bin/env node
/** The npm relay behind the adapter protocol: JSON Lines over standard input and output. */
import process from 'node:process';
import { checkProfile, introduce, readCommand, replyTo } from './commands.mjs';
import { BadCommand, isObject, text } from './refusals.mjs';
import { JudgedRelay } from './relay.mjs';

const CLOCK_START = 1_700_000_000_000; // milliseconds: a relay's clock stands here until a clock command
const LINE_CEILING = 256 << 20; // bytes of one command

const relays = new Map();
const connections = new Map(); // by name: {relay, connection}
let running = true;

const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

function relayOf(command) {
  const relay = relays.get(text(command, 'relay'));
  if (relay === undefined) throw new BadCommand(`relay ${command.relay} is not open`);
  return relay;
}

function connectionOf(command) {
  const found = connections.get(text(command, 'conn'));
  if (found === undefined) throw new BadCommand(`connection ${command.conn} is not there`);
  return found.connection;
}

function forget(relay) {
  for (const [name, found] of connections) if (found.relay === relay) connections.delete(name);
}

const commands = {
  start: (command) => introduce(command),
  stop: () => void (running = false),
  open(command) {
    const relay = text(command, 'relay');
    checkProfile(command);
    const opened = new JudgedRelay(command.options, ({ on, ...seen }) => write({ on, relay, ...seen }), CLOCK_START);
    forget(relays.get(relay));
    relays.set(relay, opened);
  },
  close(command) {
    forget(relayOf(command));
    relays.delete(command.relay);
  },
  connect(command) {
    const [relay, conn, { principal }] = [relayOf(command), text(command, 'conn'), command];
    if (connections.has(conn)) throw new BadCommand(`connection ${conn} is already there`);
    if (!isObject(principal) || typeof principal.writer !== 'string') throw new BadCommand('a principal is an object with a writer, a string');
    const send = (frame) => write({ on: 'send', conn, text: frame });
    connections.set(conn, { relay, connection: relay.connect(principal, send, () => write({ on: 'close', conn })) });
  },
  receive: (command) => connectionOf(command).receive(text(command, 'text')),
  disconnect(command) {
    connectionOf(command).disconnect();
    connections.delete(command.conn);
  },
};

function find(command) {
  if (Object.hasOwn(commands, command.do)) return () => commands[command.do](command);
  if (Object.hasOwn(JudgedRelay.commands, command.do)) return () => JudgedRelay.commands[command.do](relayOf(command), command);
  return undefined;
}

async function* linesOf(stream) {
  let line = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end; (end = chunk.indexOf('\n', start)) >= 0; start = end + 1) {
      yield Buffer.concat([...line, chunk.subarray(start, end)]);
      line = [];
    }
    line.push(chunk.subarray(start));
    if (line.reduce((bytes, part) => bytes + part.length, 0) > LINE_CEILING) throw new Error(`a command of more than ${LINE_CEILING} bytes`);
  }
}

async function answer(line) {
  try {
    return await replyTo(readCommand(new TextDecoder('utf-8', { fatal: true }).decode(line)), find);
  } catch (problem) {
    if (problem instanceof BadCommand || problem.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { id: null, error: problem.message };
    throw problem; // the relay crashed, as it would have for its users: the stack goes to standard error, and this process ends
  }
}

for await (const line of linesOf(process.stdin)) {
  write(await answer(line));
  if (!running) break;
}
