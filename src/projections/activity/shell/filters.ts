import { parseOptions } from './options.ts';
import { printedRanges } from './read-commands.ts';

type Filter = (args: readonly string[]) => boolean;

const noOperands =
  (flags: string, values = '', longFlags: readonly string[] = [], longValues: readonly string[] = []): Filter =>
  args =>
    parseOptions(args, { flags, values, longFlags, longValues })?.operands.length === 0;
const countLines: Filter = args =>
  args.every((arg, at) => /^-\d+$|^-[nc]\+?\d*$/.test(arg) || /^-[nc]$/.test(args[at - 1] ?? ''));
const onePattern: Filter = args =>
  parseOptions(args, { flags: 'nivoEFPwxchHsa', values: 'eABCm' })?.operands.length === (args.includes('-e') ? 0 : 1);

/** Commands that only shape what another one printed: they touch no file. */
const filters: Readonly<Record<string, Filter>> = {
  head: countLines,
  tail: countLines,
  cat: noOperands('AbeEnstTuv'),
  nl: noOperands('p', 'bdfhilnsvw'),
  wc: noOperands('clmwL', '', ['lines', 'words', 'bytes']),
  sort: noOperands('bdfghinrRsuVz', 'kt', ['reverse', 'unique', 'numeric-sort'], ['key']),
  uniq: noOperands('cdiuz', 'fsw', ['count']),
  less: noOperands('RSFXN'),
  more: noOperands(''),
  column: noOperands('t', 'sc'),
  cut: noOperands('sz', 'bcdf'),
  tr: args => args.length <= 3,
  grep: onePattern,
  rg: onePattern,
  sed: ([option, script = '', ...rest]) => option === '-n' && rest.length === 0 && printedRanges(script) !== undefined,
};

/** Whether a command at the end of a pipe only shapes its input. */
export function isFilter([name = '', ...args]: readonly string[]): boolean {
  return Object.hasOwn(filters, name) && (filters[name] as Filter)(args);
}
