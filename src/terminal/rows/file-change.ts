import { diffLines } from 'diff';
import type { ToolPart } from '../../projections/index.ts';

/** One line of a change: removed, added, or unchanged around it. */
export interface ChangedLine {
  readonly sign: '-' | '+' | ' ';
  readonly text: string;
}

/** The change that a call makes to files. */
export interface FileChange {
  readonly lines: readonly ChangedLine[];
  readonly added: number;
  readonly removed: number;
}

/** Texts that are longer are not compared line by line. */
const mostCharacters = 200_000;

/** Returns the change that a call makes, from its input or from what was asked about it; undefined for other calls. */
export function fileChange({ input, relays }: Pick<ToolPart, 'input' | 'relays'>): FileChange | undefined {
  const asked = relays.find(({ relay }) => relay.relayKind === 'permission' && relay.diff !== undefined)?.relay;
  if (asked?.relayKind === 'permission' && asked.diff !== undefined) return patchChange(asked.diff);
  if (typeof input !== 'object' || input === null) return undefined;
  const fields = input as Readonly<Record<string, unknown>>;
  const text = (...names: readonly string[]) =>
    names.map(name => fields[name]).find(value => typeof value === 'string');
  const patch = text('patch', 'patchText', 'diff');
  if (typeof patch === 'string') return patchChange(patch);
  const [before, after] = [
    text('old_string', 'oldString', 'old_str', 'oldText'),
    text('new_string', 'newString', 'new_str', 'newText'),
  ];
  if (typeof before === 'string' && typeof after === 'string') return textChange(before, after);
  const content = text('content', 'contents', 'file_text');
  const isFile = ['path', 'file_path', 'filePath'].some(name => typeof fields[name] === 'string');
  return typeof content === 'string' && isFile
    ? counted(linesOf(content).map(line => ({ sign: '+', text: line })))
    : undefined;
}

/** Returns the lines that make one text of another. */
export function textChange(before: string, after: string): FileChange {
  if (before.length + after.length > mostCharacters)
    return counted([
      ...linesOf(before).map(text => ({ sign: '-', text }) as const),
      ...linesOf(after).map(text => ({ sign: '+', text }) as const),
    ]);
  return counted(
    diffLines(before, after).flatMap(({ value, added, removed }) =>
      linesOf(value).map((text): ChangedLine => ({ sign: added ? '+' : removed ? '-' : ' ', text })),
    ),
  );
}

/** Returns the lines of a unified diff, or of the patch format of Codex. */
export function patchChange(patch: string): FileChange {
  const lines = linesOf(patch).flatMap((line): ChangedLine[] => {
    if (/^(?:---|\+\+\+|diff |index |\*\*\* (?:Begin|End))/.test(line)) return [];
    const [sign = ' '] = line;
    return [sign === '+' || sign === '-' ? { sign, text: line.slice(1) } : { sign: ' ', text: line.replace(/^ /, '') }];
  });
  return counted(lines);
}

function counted(lines: readonly ChangedLine[]): FileChange {
  const count = (sign: string) => lines.filter(line => line.sign === sign).length;
  return { lines, added: count('+'), removed: count('-') };
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}
