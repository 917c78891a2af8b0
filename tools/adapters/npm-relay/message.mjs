/**
 * The package takes messages, not texts, and trusts their shape: that much is the business of whoever brings the text.
 */
import { isObject } from './refusals.mjs';

/** What each kind of message cannot do without, besides its room. */
const isComplete = {
  hello: (message) => typeof message.origin === 'string',
  env: (message) => isObject(message.env),
  presence: () => true,
  signal: (message) => typeof message.to === 'string',
};

const LEVELS_CEILING = 2000; // JSON.stringify, which recurses, gives up somewhere above 3000, and a message travels inside others

/** Whether arrays and objects stand in each other more deeply than a message could be sent on. */
function isTooDeep(text) {
  let [levels, inString] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString && character === '\\') at++;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === '[' || character === '{') levels++;
    else if (character === ']' || character === '}') levels--;
    if (levels > LEVELS_CEILING) return true;
  }
  return false;
}

/** The message that a client's text is, or undefined for junk. */
export function readMessage(text) {
  if (isTooDeep(text)) return undefined;
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(message) || typeof message.t !== 'string' || typeof message.room !== 'string') return undefined;
  return Object.hasOwn(isComplete, message.t) && isComplete[message.t](message) ? message : undefined;
}
