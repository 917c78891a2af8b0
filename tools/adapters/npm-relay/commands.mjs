/** What the adapter and the server have in common: who they are, and how a command becomes a reply. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { BadCommand, isObject, Unsupported } from './refusals.mjs';

const PROFILE = '0.9';
const folder = dirname(createRequire(import.meta.url).resolve('@mmstack/mesh-protocol'));
const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The answer to `start`; `more` is what the caller can do beyond the relay itself. */
export function introduce(command, more = []) {
  if (command.meshspec !== 1) throw new Unsupported('this relay speaks version 1 of the adapter protocol');
  const can = ['options', 'clock', 'hydrate', 'room', 'unload', 'hold', 'commit', 'violation', 'drop', 'reject', 'join', 'stalled',
    'policy.acl', 'policy.validate', 'policy.canBump', 'policy.verifyCitations', ...more];
  return { name, version, language: 'JavaScript', profiles: [PROFILE], can, issues: 'https://github.com/mihajm/mmstack/issues' };
}

export function checkProfile({ profile }) {
  if (profile !== PROFILE) throw new Unsupported(`the package speaks profile ${PROFILE} only`);
}

/** A command from its text. Throws BadCommand. */
export function readCommand(text) {
  let command;
  try {
    command = JSON.parse(text);
  } catch (problem) {
    throw new BadCommand(problem.message);
  }
  if (!isObject(command) || !Object.hasOwn(command, 'id') || typeof command.do !== 'string') {
    throw new BadCommand('a command is an object with an id and a do, a string');
  }
  return command;
}

/**
 * The reply to a command, when all that it caused has happened. `find(command)` gives a function that carries it out and returns its answer
 * (nothing is true), or undefined. Throws whatever the relay throws: then it has crashed.
 */
export async function replyTo(command, find) {
  try {
    const carryOut = find(command);
    if (carryOut === undefined) return { id: command.id, unsupported: true };
    const answer = carryOut();
    // What a decided commit sets free leaves the relay a few turns of the promise queue later; this waits for all of them.
    await new Promise(setImmediate);
    return { id: command.id, ok: answer === undefined ? true : answer };
  } catch (problem) {
    if (problem instanceof Unsupported) return { id: command.id, no: problem.message };
    if (problem instanceof BadCommand) return { id: command.id, error: problem.message };
    throw problem;
  }
}
