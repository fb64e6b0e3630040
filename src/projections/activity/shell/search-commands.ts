import type { Operation } from '../activity.ts';
import { type OptionSyntax, parseOptions } from './options.ts';
import type { FileCommand } from './read-commands.ts';

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

/** `find . -name '*.ts'`: the query is the name, or the whole expression when there is none or more than one. */
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
