/** Replaces secret values in text. */
export type Redactor = (text: string) => string;

const shortest = 6;

/**
 * Makes a redactor of these values, as they are and as JSON writes them. Values of less than six characters are left
 * alone: they would be found in ordinary words.
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const values = new Set<string>();
  for (const secret of secrets)
    if (secret.length >= shortest) values.add(secret).add(JSON.stringify(secret).slice(1, -1));
  if (values.size === 0) return text => text;
  const longestFirst = [...values].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(value => value.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
  return text => text.replace(pattern, '[redacted]');
}
