import { baseName, isFinderName, isShellName, kindOfProgram } from './shell-programs.ts';
import type { ShellWord } from './shell-word.ts';

const runningOption = /^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch|--pre|--hostname-bin)$/;
const plainShell = /^((\/usr)?\/bin\/)?(ba|z|da)?sh$/;

/** What the words of a simple command could run beside the command they name. */
export interface Carried {
  /** Where in the words a command may start, the name itself aside. */
  readonly starts: readonly number[];
  /** Arguments that may be read as shell source. */
  readonly scripts: readonly string[];
  /** It is known to run them. Otherwise nothing is known about the program. */
  readonly certain: boolean;
  /** The scripts must be understood: they are run, or evaluated at least. */
  readonly judged: boolean;
}

const nothing: Carried = { starts: [], scripts: [], certain: true, judged: true };

/** The script of `bash -c '…'` and `sh -lc '…'`, in the forms that run it and nothing else. */
export function scriptOfShell(words: readonly ShellWord[]): string | undefined {
  if (words.some(word => word.open || word.tilde)) return undefined;
  const [shell = '', ...rest] = words.map(word => word.value);
  if (!plainShell.test(shell)) return undefined;
  const script = rest.pop();
  return /^(-c|-lc|-cl|-l -c)$/.test(rest.join(' ')) ? script : undefined;
}

/** Everything a command could run, generously: for rules that refuse or ask, never for rules that allow. */
export function carriedBy(words: readonly ShellWord[]): Carried {
  const kind = kindOfProgram(words);
  if (kind === 'inert' || words.length === 0) return nothing;
  const certain = kind === 'shell' || kind === 'runner';
  const option = isFinderName(words[0]?.value ?? '') ? words.findIndex(word => runningOption.test(word.value)) : 0;
  if (option < 0) return carriedFrom(words, 1, false);
  return { ...carriedFrom(words, option + 1, certain), judged: certain || kind === 'builtin' };
}

/** Everything that these words would run if they were given to a shell. */
export function carriedFrom(words: readonly ShellWord[], first: number, certain: boolean): Carried {
  const values = words.map(word => word.value);
  const starts = values.flatMap((_, index) => (index >= Math.max(first, 1) ? [index] : []));
  const scripts = values.slice(first).flatMap(scriptsIn);
  const evalAt = [0, ...starts].find(start => baseName(values[start] ?? '') === 'eval');
  if (evalAt !== undefined) scripts.push(values.slice(evalAt + 1).join(' '));
  return { starts, scripts, certain, judged: certain };
}

/** Whether the words hold a shell that reads its commands from its input. */
export function readsScript(words: readonly ShellWord[]): boolean {
  const shellAt = words.findIndex(word => isShellName(word.value));
  if (shellAt < 0) return false;
  const { starts, certain } = carriedBy(words);
  if (shellAt > 0 && !(certain && starts.includes(shellAt))) return false;
  return words.slice(shellAt + 1).every(word => /^(-.*|\/dev\/stdin)$/.test(word.value));
}

/** An argument may carry its script without a space: `-S'rm x'`, `-xrm`, `--run='rm x'`, `x=rm`. */
function scriptsIn(value: string): string[] {
  const whole = /[\s;&|<>()`$'"\\]/.test(value) ? [value] : [];
  const attached = /^(?:-\w|[\w.-]+=)([^]+)$/.exec(value)?.[1];
  return attached === undefined ? whole : [...whole, attached];
}
