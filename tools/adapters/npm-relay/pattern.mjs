/** Patterns, as policies have them: an object must be contained, an array must match in length and order, a scalar be equal. */
import { isObject, Unsupported } from './refusals.mjs';

const isNumber = (value) => typeof value === 'number';
const types = ['object', 'array', 'string', 'boolean', 'number', 'null'];
const typeOf = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

function isExpression(text) {
  try {
    return typeof text === 'string' && new RegExp(text, 'u') !== undefined;
  } catch {
    return false;
  }
}

/** Each operator: whether it takes this operand, and whether a value matches with it. */
const operators = {
  $any: [() => true, () => true],
  $type: [(name) => types.includes(name), (value, name) => typeOf(value) === name],
  $lt: [isNumber, (value, bound) => isNumber(value) && value < bound],
  $lte: [isNumber, (value, bound) => isNumber(value) && value <= bound],
  $gt: [isNumber, (value, bound) => isNumber(value) && value > bound],
  $gte: [isNumber, (value, bound) => isNumber(value) && value >= bound],
  $regex: [isExpression, (value, text) => typeof value === 'string' && new RegExp(text, 'u').test(value)],
  $not: [() => true, (value, pattern) => !matches(pattern, value)],
  '$one-of': [Array.isArray, (value, patterns) => patterns.some((pattern) => matches(pattern, value))],
};

/** The operator that a one-key object is, or undefined. */
function operatorOf(pattern) {
  const names = isObject(pattern) ? Object.keys(pattern) : [];
  return names.length === 1 && names[0].startsWith('$') ? names[0] : undefined;
}

/** Throws Unsupported for an operator that is not known here, or not with its operand. */
export function checkPattern(pattern) {
  const name = operatorOf(pattern);
  if (name !== undefined && !(Object.hasOwn(operators, name) && operators[name][0](pattern[name]))) {
    throw new Unsupported(`the pattern ${name} with this operand is not known here`);
  }
  if (typeof pattern === 'object' && pattern !== null) Object.values(pattern).forEach(checkPattern);
}

export function matches(pattern, value) {
  const name = operatorOf(pattern);
  if (name !== undefined) return operators[name][1](value, pattern[name]);
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && value.length === pattern.length && pattern.every((inner, at) => matches(inner, value[at]));
  }
  if (isObject(pattern)) {
    return isObject(value) && Object.keys(pattern).every((key) => Object.hasOwn(value, key) && matches(pattern[key], value[key]));
  }
  return pattern === value;
}
