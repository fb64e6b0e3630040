import type { Operation } from '../activity.ts';
import { parseOptions } from './options.ts';

/** What a known command does to files; undefined when that is not certain. */
export type FileCommand = (args: readonly string[]) => readonly Operation[] | undefined;

type Range = { startLine?: number; endLine?: number };

const reads = (paths: readonly string[], range: Range = {}): Operation[] | undefined =>
  paths.length === 0 || paths.includes('-') ? undefined : paths.map(path => ({ type: 'read', path, ...range }));

/** `cat a b`: each operand is read. */
export const cat: FileCommand = args => {
  const parsed = parseOptions(args, { flags: 'AbeEnstTuv', values: '', longFlags: ['number', 'show-all'] });
  return parsed && reads(parsed.operands);
};

/** `sed -n '10,20p' file`: only scripts that print ranges of lines. */
export const sed: FileCommand = args => {
  const syntax = { flags: 'nEr', values: 'e', longFlags: ['quiet', 'silent'], longValues: ['expression'] };
  const parsed = parseOptions(args, syntax);
  if (parsed === undefined || !parsed.options.some(({ name }) => /^(n|quiet|silent)$/.test(name))) return undefined;
  const given = parsed.options.filter(({ name }) => name === 'e' || name === 'expression').map(({ value }) => value);
  const [script = '', ...files] = given.length > 0 ? [given.join(';'), ...parsed.operands] : parsed.operands;
  const ranges = printedRanges(script);
  return (
    ranges && reads(files) && files.flatMap(path => ranges.map(range => ({ type: 'read' as const, path, ...range })))
  );
};

/** The ranges a sed script prints; undefined when it does anything else. */
export function printedRanges(script: string): Range[] | undefined {
  const ranges: Range[] = [];
  for (const part of script.split(';')) {
    const [whole, start, , end] = /^\s*(\d+)(,\s*(\d+|\$))?\s*p\s*$/.exec(part) ?? [];
    if (whole === undefined) return undefined;
    ranges.push({ startLine: Number(start), ...(end !== '$' && { endLine: Number(end ?? start) }) });
  }
  return ranges;
}

/** `head -20 file`: the first lines. */
export const head: FileCommand = args => {
  const parsed = parseOptions(withoutOldCount(args), { flags: 'qv', values: 'n', longValues: ['lines'] });
  const count = Number(parsed?.options.findLast(({ value }) => value !== '')?.value ?? '10');
  if (parsed === undefined || !Number.isInteger(count) || count < 1) return undefined;
  return reads(parsed.operands, { startLine: 1, endLine: count });
};

/** `tail -n 5 file`: which lines these are is known only for `-n +5`. */
export const tail: FileCommand = args => {
  const parsed = parseOptions(withoutOldCount(args), { flags: 'qv', values: 'n', longValues: ['lines'] });
  const start = /^\+(\d+)$/.exec(parsed?.options.at(-1)?.value ?? '')?.[1];
  return parsed && reads(parsed.operands, start === undefined ? {} : { startLine: Number(start) });
};

/** `nl -ba file`: the whole file, with numbers. */
export const nl: FileCommand = args => {
  const parsed = parseOptions(args, { flags: 'p', values: 'bdfhilnsvw' });
  return parsed && reads(parsed.operands);
};

/** `-20` is an old form of `-n 20`. */
function withoutOldCount(args: readonly string[]): string[] {
  return args.flatMap(arg => (/^-\d+$/.test(arg) ? ['-n', arg.slice(1)] : [arg]));
}
