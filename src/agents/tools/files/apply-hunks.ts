import type { Hunk } from './parse-patch.ts';

/**
 * Returns the text after all hunks, which are in the order of the file. A hunk matches where its old lines are, exactly
 * or except for trailing spaces; throws with the hunk that matches nowhere. Unchanged lines stay as they are.
 */
export function applyHunks(text: string, hunks: readonly Hunk[], path: string): string {
  const ending = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split('\n');
  const hasLastEnding = lines.at(-1) === '';
  if (hasLastEnding) lines.pop();
  const result: string[] = [];
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const at = findPlace(hunk, lines, from);
    if (at === undefined) throw noPlace(hunk, { number: index + 1, count: hunks.length, path });
    result.push(...lines.slice(from, at));
    from = at;
    for (const { kind, text } of hunk.lines) {
      if (kind === ' ') result.push(lines[from] as string);
      if (kind === '+') result.push(ending === '\r\n' ? `${text}\r` : text);
      else from++;
    }
  }
  const all = [...result, ...lines.slice(from)];
  return all.length === 0 ? '' : `${all.join('\n')}${hasLastEnding || text === '' ? '\n' : ''}`;
}

function findPlace(hunk: Hunk, lines: readonly string[], from: number): number | undefined {
  const old = hunk.lines.filter(({ kind }) => kind !== '+').map(({ text }) => text);
  for (const same of [isExact, isTrimmed]) {
    const start = hunk.anchor === undefined ? from : afterAnchor(hunk.anchor, lines, { from, same });
    if (start === undefined) continue;
    if (old.length === 0) return hunk.anchor === undefined || hunk.atEnd ? lines.length : start;
    const last = lines.length - old.length;
    for (let at = hunk.atEnd ? Math.max(start, last) : start; at <= last; at++)
      if (old.every((line, index) => same(lines[at + index] as string, line))) return at;
  }
  return undefined;
}

type Same = (line: string, other: string) => boolean;

/** Returns the position after the line that a hunk names; models write it with or without its indentation. */
function afterAnchor(anchor: string, lines: readonly string[], { from, same }: { from: number; same: Same }) {
  const at = lines.findIndex(
    (line, index) => index >= from && (same(line, anchor) || (same === isTrimmed && line.trim() === anchor.trim())),
  );
  return at < 0 ? undefined : at + 1;
}

function isExact(line: string, other: string): boolean {
  return line === other || line === `${other}\r`;
}

function isTrimmed(line: string, other: string): boolean {
  return line.trimEnd() === other.trimEnd();
}

function noPlace(hunk: Hunk, { number, count, path }: { number: number; count: number; path: string }): Error {
  const old = hunk.lines.filter(({ kind }) => kind !== '+').map(({ text }) => text);
  const anchor = hunk.anchor === undefined ? '' : ` after the line ${JSON.stringify(hunk.anchor)}`;
  const shown = old.slice(0, 5).join('\n');
  return new Error(
    `Hunk ${number} of ${count} for ${path} does not match${anchor}: the file has no such lines in this order:\n${shown}\n` +
      'Nothing was changed. Read the file and make the hunk from its lines.',
  );
}
