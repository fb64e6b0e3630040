const mostText = 4000;
const mostEntries = 300;
const mostDepth = 12;

/** Returns a value with long texts, long lists and deep nesting truncated, each with a note about the omitted part. */
export function shortened(value: unknown, depth = 0): unknown {
  if (typeof value === 'string')
    return value.length <= mostText
      ? value
      : `${value.slice(0, mostText)}… (${value.length - mostText} more characters)`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= mostDepth) return '… (nested deeper)';
  if (Array.isArray(value)) {
    const shown = value.slice(0, mostEntries).map(each => shortened(each, depth + 1));
    return value.length <= mostEntries ? shown : [...shown, `… (${value.length - mostEntries} more)`];
  }
  const entries = Object.entries(value);
  const shown = entries.slice(0, mostEntries).map(([key, each]) => [key, shortened(each, depth + 1)] as const);
  const rest = entries.length - shown.length;
  return Object.fromEntries(rest <= 0 ? shown : [...shown, ['…', `(${rest} more)`]]);
}
