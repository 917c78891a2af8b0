/** The control URL: the adapter protocol over HTTP, one command a POST; the answer also has what observers saw since the last one. */
import { createServer } from 'node:http';
import { checkProfile, introduce, readCommand, replyTo } from './commands.mjs';
import { BadCommand } from './refusals.mjs';
import { JudgedRelay } from './relay.mjs';

const COMMAND_CEILING = 64 << 20; // bytes

/** The commands that mean something without a relay that is well. */
const ofTheServer = {
  start: (_living, command) => introduce(command, ['restart', 'fresh']),
  open(living, command) {
    checkProfile(command);
    living.open(command.options, command.relay);
  },
  close: (living) => living.open(),
  stop: (living) => living.open(),
};

/** Clients come and go by themselves: connect, receive and disconnect are their business. */
function find(living, command) {
  if (Object.hasOwn(ofTheServer, command.do)) return () => ofTheServer[command.do](living, command);
  // Whoever asks further in this case gets to know why there is nothing to see; the next case has a relay of its own.
  if (living.crashed !== undefined) throw new BadCommand(living.crashed);
  if (Object.hasOwn(JudgedRelay.commands, command.do)) return () => JudgedRelay.commands[command.do](living.relay, command);
  return undefined;
}

async function bodyOf(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > COMMAND_CEILING) throw new BadCommand(`a command may have ${COMMAND_CEILING} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

async function carryOut(living, command) {
  try {
    return await replyTo(command, () => find(living, command));
  } catch (problem) {
    living.crash(problem);
    return { id: command.id, error: living.crashed };
  }
}

async function answer(living, request) {
  if (request.method !== 'POST') return [405, 'send one command as the body of a POST\n'];
  if (request.headers.origin !== undefined) return [403, 'web pages may not use the control URL\n'];
  const reply = await carryOut(living, readCommand(await bodyOf(request)));
  const { events, lost } = living.takeEvents();
  return [200, `{"reply":${JSON.stringify(reply)},"events":[${events.join()}]${lost > 0 ? `,"eventsLost":${lost}` : ''}}`];
}

export function createControl(living) {
  const server = createServer(async (request, response) => {
    let status, text;
    try {
      [status, text] = await answer(living, request);
    } catch (problem) {
      if (!(problem instanceof BadCommand)) return response.destroy(); // the request itself broke off
      [status, text] = [400, `${problem.message}\n`];
    }
    const [type, connection] = status === 200 ? ['application/json', 'keep-alive'] : ['text/plain', 'close'];
    response.writeHead(status, { 'Content-Type': type, Connection: connection });
    return response.end(text);
  });
  server.keepAliveTimeout = 0; // the harness keeps one connection, and may think for a while
  return server;
}
