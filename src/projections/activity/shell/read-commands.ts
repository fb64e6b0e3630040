import type { Operation } from '../activity.ts';

/** The options of a command with and without a value; a command with other options is not understood. */
export interface OptionSyntax {
  /** Letters of short options without a value. */
  readonly flags: string;
  /** Letters of short options with a value. */
  readonly values: string;
  readonly longFlags?: readonly string[];
  readonly longValues?: readonly string[];
}

export interface ParsedOptions {
  /** Every option by its name without dashes, with its value or ''. */
  readonly options: readonly { readonly name: string; readonly value: string }[];
  readonly operands: readonly string[];
}

/** Splits arguments into options and operands; undefined when an option is not understood. */
export function parseOptions(args: readonly string[], syntax: OptionSyntax): ParsedOptions | undefined {
  const options: { name: string; value: string }[] = [];
  const operands: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') {
      operands.push(...rest.splice(0));
    } else if (arg === '-' || !arg.startsWith('-')) operands.push(arg);
    else {
      const found = arg.startsWith('--') ? longOption(arg, rest, syntax) : shortOptions(arg, rest, syntax);
      if (found === undefined) return undefined;
      options.push(...found);
    }
  }
  return { options, operands };
}

function longOption(arg: string, rest: string[], { longFlags = [], longValues = [] }: OptionSyntax) {
  const [, name = '', , value] = /^--([^=]+)(=([^]*))?$/.exec(arg) ?? [];
  if (longValues.includes(name)) return [{ name, value: value ?? rest.shift() ?? '' }];
  return longFlags.includes(name) ? [{ name, value: value ?? '' }] : undefined;
}

function shortOptions(arg: string, rest: string[], { flags, values }: OptionSyntax) {
  const options: { name: string; value: string }[] = [];
  for (let at = 1; at < arg.length; at++) {
    const name = arg[at] as string;
    if (values.includes(name)) {
      options.push({ name, value: arg.slice(at + 1) || (rest.shift() ?? '') });
      return options;
    }
    if (!flags.includes(name)) return undefined;
    options.push({ name, value: '' });
  }
  return options;
}

/** Returns the file operations of a known command; undefined when they are not certain. */
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

const words = (text: string) => text.split(' ');

const rgSyntax: OptionSyntax = {
  flags: 'nNiSswvlLcoFPUuHhz0pqxa.',
  values: 'eABCgtTmMjrEd',
  longFlags: words(
    'files hidden no-ignore no-ignore-vcs line-number no-line-number ignore-case smart-case case-sensitive ' +
      'files-with-matches files-without-match count count-matches only-matching fixed-strings pcre2 multiline ' +
      'multiline-dotall word-regexp line-regexp invert-match heading no-heading with-filename no-filename json vimgrep ' +
      'pretty follow stats trim null column no-messages text quiet unrestricted passthru',
  ),
  longValues: words(
    'regexp glob iglob type type-not type-add max-count max-columns max-depth context after-context before-context ' +
      'sort sortr color colors encoding engine replace threads max-filesize',
  ),
};

const grepSyntax: OptionSyntax = {
  flags: 'nrRiIlLcowvxEFPGHhsqaUzZbyT',
  values: 'eABCmdD',
  longFlags: words(
    'recursive line-number ignore-case files-with-matches files-without-match count only-matching word-regexp ' +
      'line-regexp invert-match extended-regexp fixed-strings perl-regexp no-filename with-filename no-messages text quiet null color',
  ),
  longValues: words(
    'regexp include exclude exclude-dir max-count context after-context before-context color colour binary-files',
  ),
};

/** `rg -n needle src`; `rg --files -g '*.ts' src` searches for file names. */
export const rg: FileCommand = args => {
  const parsed = parseOptions(args, rgSyntax);
  if (parsed?.options.some(({ name }) => name === 'files')) {
    const globs = parsed.options.filter(({ name }) => name === 'g' || name === 'glob' || name === 'iglob');
    const query = globs.map(({ value }) => value).join(' ') || '*';
    return parsed.operands.length === 0 ? [{ type: 'search', query }] : each(query, parsed.operands);
  }
  return searches(args, rgSyntax);
};

/** `grep -rn needle lib`. */
export const grep: FileCommand = args => searches(args, grepSyntax);

/** `ls -la src`. */
export const ls: FileCommand = args => {
  const parsed = parseOptions(args, {
    flags: 'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1',
    values: '',
    longFlags: words('all almost-all human-readable recursive reverse size color directory group-directories-first'),
    longValues: ['sort', 'time'],
  });
  return parsed && lists(parsed.operands);
};

const acting = /^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/;
const naming = /^-i?(name|path|wholename|regex|lname)$/;

/** `find . -name '*.ts'`: the query is the name, or the whole expression unless it has exactly one name. */
export const find: FileCommand = args => {
  const rest = args.filter(arg => !/^-[HLP]$/.test(arg));
  const first = rest.findIndex(arg => /^[-(!]/.test(arg));
  const paths = first < 0 ? rest : rest.slice(0, first);
  const expression = first < 0 ? [] : rest.slice(first);
  if (expression.some(arg => acting.test(arg))) return undefined;
  const names = expression.flatMap((arg, at) => (naming.test(arg) ? [expression[at + 1] ?? ''] : []));
  const query = names.length === 1 ? (names[0] as string) : expression.join(' ') || '*';
  return paths.length === 0 ? [{ type: 'search', query, path: '.' }] : each(query, paths);
};

function searches(args: readonly string[], syntax: OptionSyntax): readonly Operation[] | undefined {
  const parsed = parseOptions(args, syntax);
  if (parsed === undefined) return undefined;
  const given = parsed.options.filter(({ name }) => name === 'e' || name === 'regexp').map(({ value }) => value);
  const [query, ...paths] = given.length > 0 ? [given.join('|'), ...parsed.operands] : parsed.operands;
  if (query === undefined) return undefined;
  return paths.length === 0 ? [{ type: 'search', query }] : each(query, paths);
}

function each(query: string, paths: readonly string[]): Operation[] {
  return paths.map(path => ({ type: 'search', query, path }));
}

function lists(paths: readonly string[]): Operation[] {
  return (paths.length === 0 ? ['.'] : paths).map(path => ({ type: 'list', path }));
}

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
