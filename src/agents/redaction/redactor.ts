import { SecretMatcher, type SecretScan } from './secret-matcher.ts';

/** Replaces secrets, in whatever form, by a mark. */
export interface Redactor {
  /** Whether there is nothing to replace. */
  readonly isEmpty: boolean;
  readonly mark: string;
  /** Replaces secrets in a text. */
  readonly text: (text: string) => string;
  /** Replaces secrets in the strings of a JSON text, which stays JSON; what is not JSON is taken as text. */
  readonly json: (text: string) => string;
  /** Finds secrets in a text. */
  readonly scan: (text: string) => SecretScan;
}

export interface RedactorOptions {
  /** Values of fewer characters are left alone: they would be found in ordinary words. Six when absent. */
  readonly shortest?: number;
  /** What stands in the place of a secret; `[redacted]` when absent. */
  readonly mark?: string;
}

/** Makes a redactor of these values: see `formsOf` for the forms in which it finds them. */
export function createRedactor(
  secrets: Iterable<string>,
  { shortest = 6, mark = '[redacted]' }: RedactorOptions = {},
): Redactor {
  const values = new Set([...secrets].filter(secret => secret.length >= shortest));
  const matcher = values.size === 0 ? undefined : new SecretMatcher(values);
  const scan = (text: string) => matcher?.scan(text) ?? { found: [], openAt: text.length };
  const replace = (text: string) => replaceRanges(text, scan(text).found, mark);
  return {
    isEmpty: matcher === undefined,
    mark,
    scan,
    text: replace,
    json: text => {
      if (scan(text).found.length === 0) return text;
      try {
        return JSON.stringify(replaceStrings(JSON.parse(text), replace));
      } catch {
        return replace(text);
      }
    },
  };
}

function replaceRanges(text: string, ranges: SecretScan['found'], mark: string): string {
  let shown = '';
  let at = 0;
  for (const [start, end] of ranges) {
    shown += text.slice(at, start) + mark;
    at = end;
  }
  return shown + text.slice(at);
}

function replaceStrings(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map(each => replaceStrings(each, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [replace(name), replaceStrings(each, replace)]),
  );
}
