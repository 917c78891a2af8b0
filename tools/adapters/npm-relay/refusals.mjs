/** The command is fine, but this relay does not offer what it asks for: the case is skipped with the message as its reason. */
export class Unsupported extends Error {}

/** The command itself is wrong; nothing happened. */
export class BadCommand extends Error {}

export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A command's string of that name. Throws BadCommand. */
export function text(command, name) {
  if (typeof command[name] === 'string') return command[name];
  throw new BadCommand(`${command.do} needs ${name}, a string`);
}

/** Throws Unsupported for a member of `data` that `known` does not list. */
export function allowOnly(where, data, known) {
  if (!isObject(data)) throw new Unsupported(`${where} must be an object`);
  for (const name of Object.keys(data)) {
    if (!known.includes(name)) throw new Unsupported(`${where}: ${name} is not known here`);
  }
}
