import { readsByAwk, readsBySed, type ReadingCheck } from './editing-script.ts';
import { baseName } from '../../projections/shell/shell-programs.ts';
import { mayBecomeOption, type ShellWord } from '../../projections/shell/shell-word.ts';

/** Arguments with which a program that otherwise reads writes a file, changes the system or runs another program. */
interface Acting {
  /** Letters of short options, alone, in a group or with a value behind them. */
  readonly letters?: string;
  /** Names of long options, which may be abbreviated. */
  readonly names?: string;
  /** Any other word. */
  readonly word?: RegExp;
  /** The number of words that are no options from which on the program writes. */
  readonly operands?: number;
}

const table: ReadonlyMap<string, Acting> = new Map<string, Acting>(
  Object.entries({
    date: { letters: 's', names: 'set', word: /^[^-+]/ },
    diff: { letters: 'l', names: 'paginate' },
    file: { letters: 'CzZS', names: 'compile uncompress uncompress-noreport no-sandbox' },
    hostname: { letters: 'bF', names: 'boot file', word: /^[^-]/ },
    install: { names: 'strip-program' },
    less: { letters: 'oOk', names: 'log-file LOG-FILE lesskey-file lesskey-src lesskey-content', word: /^\+/ },
    man: {
      letters: 'CHMPTX',
      names: 'config-file html manpath pager preprocessor troff-device gxditview',
      word: /^\//,
    },
    more: { word: /^\+/ },
    sort: { letters: 'oT', names: 'output compress-program temporary-directory' },
    split: { names: 'filter' },
    tar: {
      letters: 'IF',
      names: 'checkpoint-action use-compress-program to-command info-script new-volume-script rsh-command rmt-command',
      word: /^[A-Za-z]*[IF]/,
    },
    tree: { letters: 'oR' },
    uniq: { operands: 2 },
    xxd: { operands: 2 },
    zip: { letters: 'T', names: 'test unzip-command' },
  }),
);

/** Programs whose arguments hold a script, with the check that the script only reads. */
const scripted: ReadonlyMap<string, ReadingCheck> = new Map([
  ['sed', readsBySed],
  ...['awk', 'mawk', 'nawk'].map(name => [name, readsByAwk] as const),
]);

/** Options of git before its subcommand that only change how it shows or finds things. */
const plainGitOption =
  /^(?:-P|--no-pager|--no-optional-locks|--no-lazy-fetch|--no-replace-objects|--literal-pathspecs)$/;

/** Subcommands of git with no argument that makes them run a program or write a file of any name. */
const plainGit: ReadonlySet<string> = new Set(
  'add branch checkout commit ls-files mv reset restore rev-parse rm status switch tag'.split(' '),
);

const actingGit: Acting = {
  names:
    'config exec extcmd ext-diff filters open-files-in-pager output output-directory receive-pack show-signature ' +
    'template textconv upload-pack smtp-server sendmail-cmd to-cmd cc-cmd header-cmd',
  word: /^(?:foreach|run|filter-branch|difftool|mergetool|instaweb|daemon|hook|config|[\w-]+::\S*)$|%G/,
};

/** Letters that act in one subcommand of git and mean something else in others. */
const gitLetters: ReadonlyMap<string, string> = new Map([
  ['archive', 'o'],
  ['clone', 'cu'],
  ['format-patch', 'o'],
  ['grep', 'O'],
  ['rebase', 'x'],
]);

/**
 * Whether words that a rule does not name make a program write, change the system or run another program although it
 * otherwise reads, or could do so because only the shell knows them. `isNamed` says whether the rule names a word.
 */
export function actsBeyondReading(words: readonly ShellWord[], isNamed: (index: number) => boolean): boolean {
  const [name, ...args] = words;
  const program = baseName(name?.value ?? '').toLowerCase();
  const isOwnWord = (index: number) => isNamed(index + 1);
  const given = args.filter((_, index) => !isOwnWord(index));
  if (given.length === 0) return false;
  if (program === 'git') return gitActs(args, isOwnWord);
  // Where other versions are usual, those of GNU have a g before their names.
  const names = [program, program.replace(/^g/, '')];
  const reads = names.map(each => scripted.get(each)).find(check => check !== undefined);
  if (reads !== undefined) return !reads(args, isOwnWord);
  const acting = names.map(each => table.get(each)).find(row => row !== undefined);
  if (acting === undefined) return false;
  const operands = args.filter(({ value }) => !value.startsWith('-') || value === '-');
  return given.some(word => acts(acting, word)) || operands.length >= (acting.operands ?? Number.POSITIVE_INFINITY);
}

function gitActs(args: readonly ShellWord[], isNamed: (index: number) => boolean): boolean {
  const at = args.findIndex(({ value }) => !value.startsWith('-'));
  const options = args.slice(0, at < 0 ? args.length : at);
  if (options.some(({ open, value }, index) => !isNamed(index) && (open || !plainGitOption.test(value)))) return true;
  const subcommand = args[at]?.value ?? '';
  if (args[at]?.open === false && plainGit.has(subcommand)) return false;
  const acting = { ...actingGit, letters: gitLetters.get(subcommand) ?? '' };
  return args.some((word, index) => index >= at && !isNamed(index) && acts(acting, word));
}

function acts({ letters = '', names = '', word: acting }: Acting, word: ShellWord): boolean {
  const { value } = word;
  if (mayBecomeOption(word) || acting?.test(value) === true) return true;
  if (/^-[^-]/.test(value)) return letters.split('').some(letter => value.includes(letter));
  const [, given] = /^--([^=]+)/.exec(value) ?? [];
  return given !== undefined && names.split(' ').some(name => name !== '' && name.startsWith(given));
}
