/** A value of a front matter: a text, a list of texts, or texts by name. */
export type FrontMatterValue = string | readonly string[] | Readonly<Record<string, string>>;

export interface FrontMatter {
  readonly fields: ReadonlyMap<string, FrontMatterValue>;
  /** The text after the front matter. */
  readonly body: string;
}

/** The length above which lines are cut, longer than any hand-written line. */
const longestLine = 8_192;

/**
 * Parses the YAML at the beginning of files such as SKILL.md: plain, quoted, folded (`>`) and literal (`|`) texts,
 * lists, and names one level deep. It is tolerant: a plain text may contain `: `, and unparsable lines are ignored.
 * Returns undefined when the front matter is missing or not closed.
 */
export function parseFrontMatter(text: string): FrontMatter | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line));
  if (end < 0) return undefined;
  return {
    fields: parseFields(lines.slice(1, end).map(line => line.slice(0, longestLine))),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function parseFields(lines: readonly string[]): ReadonlyMap<string, FrontMatterValue> {
  const fields = new Map<string, FrontMatterValue>();
  for (let at = 0; at < lines.length; ) {
    const [, name, first = ''] = entry.exec(lines[at++] as string) ?? [];
    const from = at;
    while (at < lines.length && isInside(lines[at] as string)) at++;
    if (name !== undefined) fields.set(unquoted(name.trim()), parseValue(first.trim(), lines.slice(from, at)));
  }
  return fields;
}

const entry = /^("[^"]*"\s*|'[^']*'\s*|[^\s#:'"-][^:]*):(?:\s+(.*))?$/;

/** Whether a line belongs to the field above it: it is indented, empty, or an item of a list. */
function isInside(line: string): boolean {
  return line.trim() === '' || /^\s/.test(line) || /^-\s/.test(line);
}

function parseValue(first: string, more: readonly string[]): FrontMatterValue {
  const block = /^([|>])[+-]?\d?[+-]?(\s+#.*)?$/.exec(first);
  if (block !== null) return block[1] === '|' ? literal(more) : folded(more);
  const lines = more.map(line => line.trim()).filter(line => line !== '' && !line.startsWith('#'));
  if (first !== '' && !first.startsWith('#')) return textOrList([first, ...lines].join(' '));
  if (lines.every(line => /^-(\s|$)/.test(line)) && lines.length > 0)
    return lines.map(line => unquoted(line.slice(1).trim()));
  const entries = lines.map(line => entry.exec(line));
  if (lines.length > 0 && entries.every(found => found !== null))
    return Object.fromEntries(
      entries.map(([, name = '', value = '']) => [unquoted(name.trim()), unquoted(value.trim())]),
    );
  return unquoted(lines.join(' '));
}

function textOrList(value: string): string | readonly string[] {
  if (!/^\[.*\]$/.test(value)) return unquoted(value);
  const items = value.slice(1, -1).match(/\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)/g) ?? [];
  return items.map(item => unquoted(item.trim())).filter(item => item !== '');
}

/** Returns the text of a plain or quoted value, without a trailing comment. */
function unquoted(value: string): string {
  const double = /^"((?:[^"\\]|\\.)*)"\s*(#.*)?$/.exec(value)?.[1];
  if (double !== undefined) return double.replaceAll(/\\(.)/g, (_, sign: string) => escapes[sign] ?? sign);
  const single = /^'((?:[^']|'')*)'\s*(#.*)?$/.exec(value)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  const comment = value.search(/\s#/);
  return (comment < 0 ? value : value.slice(0, comment)).trim();
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function literal(lines: readonly string[]): string {
  const indent = Math.min(...lines.filter(line => line.trim() !== '').map(line => line.search(/\S/)));
  return lines
    .map(line => line.slice(indent).trimEnd())
    .join('\n')
    .trim();
}

/** Folds lines to one; an empty line becomes a line break. */
function folded(lines: readonly string[]): string {
  return literal(lines).replaceAll(/\n+/g, breaks => (breaks.length === 1 ? ' ' : breaks.slice(1)));
}
