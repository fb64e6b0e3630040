/** Returns a deep copy of plain objects, arrays, maps, sets and dates; functions and class instances are shared. */
export function copyValue<Value>(value: Value): Value {
  return copy(value, new Map()) as Value;
}

function copy(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const remember = <Copy extends object>(made: Copy): Copy => {
    copies.set(value, made);
    return made;
  };
  if (value instanceof Date) return remember(new Date(value));
  if (Array.isArray(value)) {
    const made = remember<unknown[]>([]);
    for (const item of value) made.push(copy(item, copies));
    return made;
  }
  if (Object.getPrototypeOf(value) === Map.prototype) {
    const made = remember(new Map<unknown, unknown>());
    for (const [key, item] of value as Map<unknown, unknown>) made.set(copy(key, copies), copy(item, copies));
    return made;
  }
  if (Object.getPrototypeOf(value) === Set.prototype) {
    const made = remember(new Set<unknown>());
    for (const item of value as Set<unknown>) made.add(copy(item, copies));
    return made;
  }
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype !== Object.prototype && prototype !== null) return value;
  const made = remember<Record<string, unknown>>(Object.create(prototype) as Record<string, unknown>);
  for (const [key, item] of Object.entries(value))
    Object.defineProperty(made, key, {
      value: copy(item, copies),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  return made;
}
