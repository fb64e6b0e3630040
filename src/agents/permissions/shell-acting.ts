import { readsByAwk, readsBySed, type ReadingCheck } from './editing-script.ts';
import { baseName } from './shell-programs.ts';
import { mayBecomeOption, type ShellWord } from './shell-word.ts';

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
    git: {
      letters: 'cxOo',
      names:
        'config config-env exec-path git-dir upload-pack receive-pack exec extcmd tool open-files-in-pager output ' +
        'output-directory ext-diff textconv filters paginate show-signature smtp-server sendmail-cmd to-cmd cc-cmd ' +
        'header-cmd template interactive edit',
      word: /^(?:-C|foreach|run|filter-branch|difftool|mergetool|instaweb|daemon|hook|config|[\w-]+::\S*)$|%G/,
    },
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

/**
 * Whether words that a rule does not name make a program write, change the system or run another program although it
 * otherwise reads, or could do so because only the shell knows them. `isNamed` says whether the rule names a word.
 */
export function actsBeyondReading(words: readonly ShellWord[], isNamed: (index: number) => boolean): boolean {
  const [name, ...args] = words;
  const program = baseName(name?.value ?? '').toLowerCase();
  // Where other versions are usual, those of GNU have a g before their names.
  const names = [program, program.replace(/^g/, '')];
  const given = args.filter((_, index) => !isNamed(index + 1));
  const reads = names.map(each => scripted.get(each)).find(check => check !== undefined);
  if (reads !== undefined) return given.length > 0 && !reads(args, index => isNamed(index + 1));
  const acting = names.map(each => table.get(each)).find(row => row !== undefined);
  if (acting === undefined) return false;
  if (given.some(word => mayBecomeOption(word) || acts(acting, word.value))) return true;
  const operands = args.filter(({ value }) => !value.startsWith('-') || value === '-');
  return acting.operands !== undefined && given.length > 0 && operands.length >= acting.operands;
}

function acts({ letters = '', names = '', word }: Acting, value: string): boolean {
  if (word?.test(value) === true) return true;
  if (/^-[^-]/.test(value)) return letters.split('').some(letter => value.includes(letter));
  const [, given] = /^--([^=]+)/.exec(value) ?? [];
  return given !== undefined && names.split(' ').some(name => name !== '' && name.startsWith(given));
}
