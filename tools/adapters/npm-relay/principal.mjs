/** Who a WebSocket's client is: nobody vouches for it here, the query says it. */
import { isObject } from './refusals.mjs';

/** Why the handshake is answered with an HTTP status instead. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function fieldsOf(url) {
  const fields = new Map();
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  for (const field of query.split('&').filter(Boolean)) {
    const [name, value] = field.split(/=(.*)/s).map(decodeURIComponent);
    if (fields.has(name)) throw new Refusal(400, `the query has ${name} more than once`);
    fields.set(name, value ?? '');
  }
  return fields;
}

function claimsOf(json) {
  const claims = JSON.parse(json);
  if (!isObject(claims)) throw new Refusal(400, 'claims must be a JSON object');
  return claims;
}

/** {writer, kind?, claims?} from a URL's query. Throws Refusal. */
export function principalOf(url) {
  try {
    const fields = fieldsOf(url);
    if (!fields.get('writer')) throw new Refusal(401, 'the query has no writer: say who you are, for instance ?writer=ana');
    return {
      writer: fields.get('writer'),
      ...(fields.get('kind') && { kind: fields.get('kind') }),
      ...(fields.has('claims') && { claims: claimsOf(fields.get('claims')) }),
    };
  } catch (problem) {
    throw problem instanceof Refusal ? problem : new Refusal(400, problem.message);
  }
}
