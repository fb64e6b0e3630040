import { type Carried, carriedBy, carriedFrom, readsScript } from '../../projections/shell/shell-carrier.ts';
import { readShellLine, type ShellLine } from '../../projections/shell/shell-line.ts';
import { kindOfProgram } from '../../projections/shell/shell-programs.ts';
import type { ShellWord } from '../../projections/shell/shell-word.ts';

/** Words from an index where a command may start. */
export interface PossibleCommand {
  readonly words: readonly ShellWord[];
  readonly start: number;
}

/** Commands, and texts that may contain more of them. */
export interface Found {
  readonly commands: PossibleCommand[];
  readonly texts: Set<string>;
}

/** Everything a line could run. */
export interface Reach {
  /** The commands that it certainly runs, and the texts in which a parser may have missed a command. */
  readonly certain: Found;
  /** The commands that it runs if unknown programs run their arguments. */
  readonly possible: Found;
  /**
   * Whether every script that it runs or evaluates is understood, and all words are known where a command may start.
   */
  readonly understood: boolean;
}

const maxDepth = 6;
const maxScripts = 500;

interface Script {
  readonly line: ShellLine;
  readonly depth: number;
  readonly certain: boolean;
  readonly judged: boolean;
}

/** Follows a line through `sudo`, `env`, `xargs`, `find -exec`, `bash -c '…'`, `eval` and shells that read stdin. */
export function getReach(line: ShellLine): Reach {
  const certain: Found = { commands: [], texts: new Set() };
  const possible: Found = { commands: [], texts: new Set() };
  let understood = true;
  const queue: Script[] = [{ line, depth: 0, certain: true, judged: true }];
  for (const script of queue) {
    const foundBy = (isCertain: boolean) => (script.certain && isCertain ? certain : possible);
    if (script.judged && script.line.strict === undefined) understood = false;
    if (!script.line.sure) foundBy(true).texts.add(script.line.text);
    for (const { words } of script.line.commands) foundBy(true).commands.push({ words, start: 0 });
    for (const { words, starts, scripts, certain, judged } of carriedIn(script.line)) {
      const { commands, texts } = foundBy(certain);
      for (const start of starts) commands.push({ words, start });
      if (starts.some(start => words[start]?.open)) texts.add(script.line.text);
      if (script.judged && starts.some(start => words[start] && mayBecomeCommand(words[start]))) understood = false;
      for (const text of new Set(scripts)) {
        const next = { depth: script.depth + 1, certain: script.certain && certain, judged: script.judged && judged };
        if (next.depth <= maxDepth && queue.length < maxScripts) queue.push({ line: readShellLine(text), ...next });
        else {
          texts.add(text);
          understood &&= !next.judged;
        }
      }
    }
  }
  return { certain, possible, understood };
}

type CarriedWords = Carried & { readonly words: readonly ShellWord[] };

/**
 * Returns what the commands of a line carry. A shell that reads stdin may receive any word of the line, and possibly so
 * may another program that runs its arguments; an assignment may set what a program runs.
 */
function carriedIn({ commands, inputs }: ShellLine): CarriedWords[] {
  const isFed = commands.some(({ words }) => readsScript(words));
  const mayBeFed = isFed || commands.some(({ words }) => kindOfProgram(words) === 'runner');
  const carried = (words: readonly ShellWord[]) => {
    const isInert = kindOfProgram(words) === 'inert';
    return isFed || (mayBeFed && isInert) ? carriedFrom(words, 0, isFed) : carriedBy(words);
  };
  const found = commands.flatMap(({ words, assigned }) => [
    { words, ...carried(words) },
    { words: [], starts: [], scripts: carriedFrom(assigned, 0, false).scripts, certain: false, judged: false },
  ]);
  return mayBeFed ? [...found, { words: [], starts: [], scripts: inputs, certain: isFed, judged: isFed }] : found;
}

/** Whether the shell could expand a word to the name of a command; a file pattern such as `src/*.ts` never is one. */
export function mayBecomeCommand({ open, namesFiles = false, value }: ShellWord): boolean {
  return open && !(namesFiles && /^(?![/~-])(?![^]*\.\.)[^]*[./]/.test(value));
}
