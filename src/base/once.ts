/**
 * Returns a function that builds a value on the first call and returns the same value afterwards: importing builds no
 * schema.
 */
export function once<Value extends object>(build: () => Value): () => Value {
  let built: Value | undefined;
  return () => (built ??= build());
}
