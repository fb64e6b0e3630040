/**
 * The value without keys that could change a prototype: a client of the AI SDK refuses the chunk they are in. A value
 * that has none is returned itself.
 */
export function acceptable<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(acceptable);
    return items.some((item, at) => item !== value[at]) ? (items as Value) : value;
  }
  let copy: Record<string, unknown> | undefined;
  for (const [key, field] of Object.entries(value)) {
    const kept = acceptable(field as unknown);
    if (kept === field && !isForbidden(key, field)) continue;
    copy ??= { ...(value as Record<string, unknown>) };
    if (isForbidden(key, field)) delete copy[key];
    else copy[key] = kept;
  }
  return (copy as Value | undefined) ?? value;
}

function isForbidden(key: string, field: unknown): boolean {
  if (key === '__proto__') return true;
  return key === 'constructor' && typeof field === 'object' && field !== null && Object.hasOwn(field, 'prototype');
}
