/** The relay that the server's clients meet, and what becomes of them when it is replaced or crashes. */
import { JudgedRelay } from './relay.mjs';

const WAITING_CEILING = 64 << 20; // bytes that wait for one client; a slower reader is cut off
const EVENTS_CEILING = 64 << 20; // characters of events that wait for somebody to fetch them; more are counted as lost

export class LivingRelay {
  #sockets = new Set();
  #options;
  #name;
  #relay;
  #events = [];
  #eventsLength = 0;
  #lost = 0;

  /** Why the relay of the open case is gone; undefined while it is well. */
  crashed;

  constructor() {
    this.open();
  }

  get relay() {
    return this.#relay;
  }

  /** A fresh relay in the place of the one before, whose clients are cut off. Throws Unsupported, and changes nothing then. */
  open(options = {}, name = undefined) {
    const opened = new JudgedRelay(options, (event) => this.#relay === opened && this.#keep(event));
    this.#relay = opened;
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.clear();
    [this.#options, this.#name, this.crashed] = [options, name, undefined];
    this.takeEvents();
  }

  /** Takes in a client, until its WebSocket ends. */
  join(socket, principal) {
    const connection = this.#relay.connect(principal, (text) => this.#send(socket, text), () => socket.close(1000));
    this.#sockets.add(socket);
    socket.on('error', () => {}); // a close follows, with all there is to know
    socket.on('message', (data, isBinary) => {
      if (socket.readyState !== socket.OPEN) return;
      if (isBinary) socket.close(1003, 'messages are texts');
      else this.#attempt(() => connection.receive(data.toString()));
    });
    socket.on('close', () => {
      // A client of an earlier relay means nothing to this one.
      if (this.#sockets.delete(socket)) this.#attempt(() => connection.disconnect());
    });
  }

  /**
   * The relay threw, which would have ended its process. Its clients meet what they would if that process were started again: their
   * connections are cut and the rooms are gone.
   */
  crash(problem) {
    console.error('the relay crashed:', problem);
    this.open(this.#options, this.#name);
    this.crashed = `the relay crashed: ${problem.stack}`;
  }

  #attempt(work) {
    try {
      work();
    } catch (problem) {
      this.crash(problem);
    }
  }

  /** The events as JSON texts, and how many found no room since the last call. */
  takeEvents() {
    const taken = { events: this.#events, lost: this.#lost };
    [this.#events, this.#eventsLength, this.#lost] = [[], 0, 0];
    return taken;
  }

  #keep({ on, ...seen }) {
    const event = JSON.stringify({ on, relay: this.#name, ...seen });
    if (this.#eventsLength + event.length > EVENTS_CEILING) {
      this.#lost++;
    } else {
      this.#events.push(event);
      this.#eventsLength += event.length;
    }
  }

  #send(socket, text) {
    if (socket.bufferedAmount > WAITING_CEILING) socket.terminate();
    else socket.send(text);
  }
}
