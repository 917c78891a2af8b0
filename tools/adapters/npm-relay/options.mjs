/** A relay's options, from their form as data to the one that the package takes. */
import { pathPrefixAcl } from '@mmstack/mesh-protocol';
import { checkPattern, matches } from './pattern.mjs';
import { allowOnly, Unsupported } from './refusals.mjs';

/** `allow` or `deny` of a rule, as a function of what it is to match. */
function test(rule, verb, known) {
  allowOnly('a policy rule', rule, known);
  const pattern = rule[verb];
  checkPattern(pattern);
  return typeof pattern === 'boolean' && verb === 'allow' ? () => pattern : (value) => matches(pattern, value);
}

function rules(name, list, verb) {
  if (!Array.isArray(list)) throw new Unsupported(`policy.${name} must be a list of rules`);
  return list.map((rule) => {
    const judge = test(rule, verb, ['prefix', verb]);
    if (!Array.isArray(rule.prefix)) throw new Unsupported(`policy.${name}: a rule needs a prefix, a list`);
    return { prefix: rule.prefix, [verb]: judge };
  });
}

const covers = (prefix, path) =>
  prefix.length <= path.length && prefix.every((segment, at) => segment === '*' || String(segment) === String(path[at]));

/** False for a set of a value that a rule for its path denies. */
const validate = (denials) => (op) =>
  op.kind !== 'set' || !Object.hasOwn(op, 'next') || !denials.some((rule) => covers(rule.prefix, op.path) && rule.deny(op.next));

function readPolicy(data) {
  allowOnly('policy', data, ['acl', 'validate', 'canBump', 'verifyCitations']);
  const { acl, validate: denials, canBump, verifyCitations } = data;
  if (![undefined, true, false].includes(verifyCitations)) throw new Unsupported('policy.verifyCitations must be true or false');
  return {
    ...(acl !== undefined && pathPrefixAcl(rules('acl', acl, 'allow'))),
    ...(denials !== undefined && { validate: validate(rules('validate', denials, 'deny')) }),
    ...(canBump !== undefined && { canBump: test(canBump, 'allow', ['allow']) }),
    ...(verifyCitations !== undefined && { verifyCitations }),
  };
}

function checkNumbers(where, data, names) {
  for (const name of names) {
    const value = data[name];
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) throw new Unsupported(`${where}${name} must be a number from 0 on`);
  }
}

/** Throws Unsupported, with the reason, for what this relay cannot honour. */
export function readOptions(data = {}) {
  allowOnly('options', data, ['policyVersion', 'journalLimit', 'limits', 'ejection', 'policy']);
  const { policy, ...options } = data;
  checkNumbers('', options, ['policyVersion', 'journalLimit']);
  if (options.limits !== undefined) {
    const limits = ['maxOpsPerEnvelope', 'maxEnvelopesPerSecond'];
    allowOnly('limits', options.limits, limits);
    checkNumbers('limits.', options.limits, limits);
  }
  if (![undefined, 'writer', 'connection'].includes(options.ejection)) throw new Unsupported('ejection must be writer or connection');
  return policy === undefined ? options : { ...options, policy: readPolicy(policy) };
}
