import { SecretMatcher, type SecretScan } from './secret-matcher.ts';

/** Replaces secrets, in any form, by a mark. */
export interface Redactor {
  /** Whether it has no secrets to replace. */
  readonly isEmpty: boolean;
  readonly mark: string;
  /** Replaces secrets in a text. */
  readonly text: (text: string) => string;
  /** Replaces secrets in the strings of a JSON text, which stays JSON; treats anything else as text. */
  readonly json: (text: string) => string;
  /** Finds secrets in a text. */
  readonly scan: (text: string) => SecretScan;
}

export interface RedactorOptions {
  /** Shorter values are ignored: they would match ordinary words. Default: 6. */
  readonly shortest?: number;
  /** The replacement of a secret. Default: `[redacted]`. */
  readonly mark?: string;
}

/** A redactor that more values can be added to while it is in use. */
export interface GrowingRedactor extends Redactor {
  readonly add: (secrets: Iterable<string>) => void;
}

/** Creates a redactor of these values: `formsOf` lists the forms that it finds. */
export function createRedactor(
  secrets: Iterable<string>,
  { shortest = 6, mark = '[redacted]' }: RedactorOptions = {},
): GrowingRedactor {
  const values = new Set<string>();
  let matcher: SecretMatcher | undefined;
  const add = (more: Iterable<string>) => {
    const before = values.size;
    for (const secret of more) if (secret.length >= shortest) values.add(secret);
    if (values.size > before) matcher = new SecretMatcher(values);
  };
  add(secrets);
  const scan = (text: string) => matcher?.scan(text) ?? { found: [], openAt: text.length };
  const replace = (text: string) => replaceRanges(text, scan(text).found, mark);
  return {
    get isEmpty() {
      return matcher === undefined;
    },
    add,
    mark,
    scan,
    text: replace,
    json: text => {
      if (scan(text).found.length === 0) return text;
      try {
        return JSON.stringify(replaceStrings(JSON.parse(text), replace));
      } catch {
        return replace(text); // It is not JSON.
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
