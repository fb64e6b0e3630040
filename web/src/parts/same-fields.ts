/** Whether two flat objects have the same values; objects in them are compared by theirs. */
export function sameFields<Value extends object>(a: Value, b: Value): boolean {
  const names = Object.keys(a) as (keyof Value)[];
  if (names.length !== Object.keys(b).length) return false;
  return names.every(name => {
    if (!Object.hasOwn(b, name)) return false;
    const [one, other] = [a[name], b[name]];
    if (one === other) return true;
    return isObject(one) && isObject(other) && sameFields(one, other);
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
