/** One relay of the package, with everything that the adapter protocol controls and observes. */
import { createRelay } from '@mmstack/mesh-protocol';
import { readOptions } from './options.mjs';
import { BadCommand, isObject, text } from './refusals.mjs';

/** A promise with its two ends in the open. */
function deferred() {
  const ends = {};
  ends.promise = new Promise((resolve, reject) => Object.assign(ends, { resolve, reject }));
  // The relay looks at a promise only when its turn comes. One that fails before that would count as unhandled, and end the process.
  ends.promise.catch(() => {});
  return ends;
}

/** The value of a JSON text; undefined for what is none. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * `observe` gets what observers see, such as {on: "violation", …}. `now` is where the clock stands, in milliseconds; undefined: it is the
 * system's until it is set.
 */
export class JudgedRelay {
  constructor(options, observe, now) {
    this.now = now;
    this.holding = false;
    this.held = new Map(); // by room and seq
    this.relay = createRelay({
      ...readOptions(options),
      now: () => this.now ?? Date.now(),
      onCommit: (room, env, state) => {
        const { checkpoint, ...rest } = state;
        observe({ on: 'commit', room, env, state: { ...rest, registers: checkpoint() } });
        return this.holding ? this.#hold(room, env.seq) : undefined;
      },
      onViolation: (room, violation) => observe({ on: 'violation', room, violation }),
      onDrop: (room, { origin, version }, reason) => observe({ on: 'drop', room, origin, version, reason }),
      onReject: (room, { writer }, reason, expected) => observe({ on: 'reject', room, writer, reason, expected }),
      onJoin: (room, { writer }, origin) => observe({ on: 'join', room, writer, origin }),
      onDurabilityFailed: (room, { seq }) => observe({ on: 'stalled', room, seq }),
    });
  }

  /**
   * A connection {receive(text), disconnect()}; `send` gets texts. As in the package's own recipe, what is JSON reaches the relay as it is, and an
   * exception that comes back is the relay's. Only what is no JSON ends here.
   */
  connect(principal, send, close) {
    const connection = this.relay.connect({ send: (message) => send(JSON.stringify(message)), close }, principal);
    return {
      receive: (frame) => {
        const message = parse(frame);
        if (message !== undefined) connection.receive(message);
      },
      disconnect: () => connection.disconnect(),
    };
  }

  #hold(room, seq) {
    const commit = deferred();
    this.held.set(JSON.stringify([room, seq]), commit);
    return commit.promise;
  }

  /** False when no such commit is held. */
  #decide(command, decision) {
    const key = JSON.stringify([text(command, 'room'), command.seq]);
    const commit = this.held.get(key);
    if (commit !== undefined) decision(commit);
    return this.held.delete(key);
  }

  /** The commands on a relay, by name. Each takes the command and gives its answer; nothing is an answer like true. */
  static commands = {
    clock(relay, { ms }) {
      if (!Number.isFinite(ms)) throw new BadCommand('clock needs ms, a number');
      relay.now = ms;
    },
    room: (relay, command) => relay.relay.room(text(command, 'room')) ?? null,
    hydrate(relay, command) {
      const { snapshot } = command;
      if (!isObject(snapshot) || !Number.isInteger(snapshot.seq)) throw new BadCommand('hydrate needs snapshot, an object with a seq');
      return relay.relay.hydrate(text(command, 'room'), snapshot);
    },
    unload: (relay, command) => relay.relay.unload(text(command, 'room'), { discard: command.discard === true }),
    hold: (relay) => void (relay.holding = true),
    unhold: (relay) => void (relay.holding = false),
    release: (relay, command) => relay.#decide(command, (commit) => commit.resolve()),
    fail: (relay, command) => relay.#decide(command, (commit) => commit.reject(new Error('the commit was failed on command'))),
  };
}
