/**
 * Measures the package's relay beside the reference relay, in one run and on the same messages:
 *
 *   node bench.mjs build/bench/register_bench
 *
 * The program named measures the reference relay and writes down what it gave it. Here the same goes to the package's relay, text in and text out as on a
 * WebSocket, and the fastest of a few short rounds counts. Exit code 0 when the reference relay reaches every ratio that it is to reach, 1 when it does not.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRelay } from '@mmstack/mesh-protocol';

const LEAST_RATIO = { '0.9, 2 members': 10, '0.9, 100 members': 100, '0.9, 10 members, 10,000 registers': 100 };
const ROUNDS = 5;

/** {name, before, timed}: messages [connection, text] before the first round, and those of it. */
function readInputs(path) {
  const [name, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const start = lines.indexOf('timed');
  const message = (line) => [Number(line.slice(0, line.indexOf(' '))), line.slice(line.indexOf(' ') + 1)];
  return { name, before: lines.slice(0, start).map(message), timed: lines.slice(start + 1).map(message) };
}

/** Envelopes a second. */
function measure({ before, timed }) {
  const relay = createRelay({ now: () => 0 });
  let frames = 0, bytes = 0, instance;
  const connections = [];
  const socket = {
    send: (message) => {
      const text = JSON.stringify(message);
      frames++;
      bytes += text.length;
      instance ??= message.instance;
    },
    close: () => {},
  };
  const receive = ([number, text]) => {
    connections[number] ??= relay.connect(socket, { writer: 'w' });
    connections[number].receive(JSON.parse(text));
  };
  const inThisLife = ([number, text]) => [number, instance === undefined ? text : text.replace('"life-3"', JSON.stringify(instance))];
  for (const message of before) receive(inThisLife(message));
  const messages = timed.map(inThisLife);
  const size = Math.floor(messages.length / ROUNDS);
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now(), framesBefore = frames;
    for (const message of messages.slice(round * size, (round + 1) * size)) receive(message);
    best = Math.max(best, (size * 1000) / (performance.now() - start));
    if (frames - framesBefore < size * connections.length) throw new Error(`an envelope did not reach every member (${bytes} bytes in all)`);
  }
  return best;
}

const folder = mkdtempSync(join(tmpdir(), 'meshspec-bench-'));
try {
  const printed = execFileSync(process.argv[2], ['--inputs', folder], { encoding: 'utf8' });
  const rates = new Map([...printed.matchAll(/^(\S.*?) +(\d+) envelopes\/s$/gm)].map(([, name, rate]) => [name, Number(rate)]));
  console.log('reference relay against the relay of the npm package, envelopes a second, same messages');
  let met = true;
  for (let number = 0; number < rates.size; number++) {
    const inputs = readInputs(join(folder, String(number)));
    const theirs = measure(inputs), ours = rates.get(inputs.name), least = LEAST_RATIO[inputs.name];
    met &&= ours / theirs >= least;
    console.log(`${inputs.name.padEnd(36)} ${ours.toFixed(0).padStart(9)} : ${theirs.toFixed(0).padStart(6)}   ${(ours / theirs).toFixed(1).padStart(7)} times   ${ours / theirs >= least ? 'met' : 'MISSED'} (at least ${least})`);
  }
  process.exitCode = met ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
