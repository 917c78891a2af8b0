#!/usr/bin/env node
/**
 * The npm relay behind WebSockets, on 127.0.0.1. Prints `listening URL` when it can be used, and `control URL` when there is one.
 *   server.mjs [--port PORT] [--control PORT]      0, the default of --port, takes a free one
 */
import { createServer } from 'node:http';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { WebSocketServer } from 'ws';
import { createControl } from './control.mjs';
import { LivingRelay } from './living.mjs';
import { principalOf } from './principal.mjs';

const HOST = '127.0.0.1';

function fail(status, message) {
  process.stderr.write(`server.mjs: ${message}\n`);
  process.exit(status);
}

function flags() {
  try {
    return parseArgs({ options: { port: { type: 'string', default: '0' }, control: { type: 'string' } } }).values;
  } catch (problem) {
    return fail(2, `${problem.message}; it knows --port PORT and --control PORT`);
  }
}

/** The port that it got. */
function listen(server, flag, value) {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) fail(2, `${flag} wants a port, not ${value}`);
  return new Promise((resolve) => {
    server.once('error', (problem) => fail(1, `cannot listen for ${flag}: ${problem.message}`));
    server.listen(Number(value), HOST, () => resolve(server.address().port));
  });
}

function refuse(socket, { status, message }) {
  const body = `${message}\n`;
  socket.end(`HTTP/1.1 ${status} ${status === 401 ? 'Unauthorized' : 'Bad Request'}\r\nConnection: close\r\n` +
    `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

const { port, control } = flags();
const living = new LivingRelay();
const sockets = new WebSocketServer({ noServer: true });
const server = createServer((_request, response) => response.writeHead(426, { Upgrade: 'websocket' }).end('this is for WebSockets\n'));
server.on('upgrade', (request, socket, head) => {
  socket.on('error', () => socket.destroy());
  let principal;
  try {
    principal = principalOf(request.url);
  } catch (refusal) {
    return refuse(socket, refusal);
  }
  return sockets.handleUpgrade(request, socket, head, (client) => living.join(client, principal));
});
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));

let ready = `listening ws://${HOST}:${await listen(server, '--port', port)}/\n`;
if (control !== undefined) ready += `control http://${HOST}:${await listen(createControl(living), '--control', control)}/\n`;
process.stdout.write(ready);
