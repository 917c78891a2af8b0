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

/** The message that a client's text is, or undefined for junk. */
export function readMessage(text) {
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(message) || typeof message.t !== 'string' || typeof message.room !== 'string') return undefined;
  return Object.hasOwn(isComplete, message.t) && isComplete[message.t](message) ? message : undefined;
}
