/** Freezes a JSON value with everything in it, and returns it. */
export function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key in value) if (typeof value[key] === 'object') freeze(value[key]);
  return Object.freeze(value);
}
