import { baseName, isFinderName, isShellName, kindOfProgram } from './shell-programs.ts';
import type { ShellWord } from './shell-word.ts';

const runningOption = /^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch|--pre|--hostname-bin)$/;
const plainShell = /^((\/usr)?\/bin\/)?(ba|z|da)?sh$/;

/** The commands that the arguments of a simple command could run, in addition to the named command. */
export interface Carried {
  /** The indices of words where a command may start, except the name itself. */
  readonly starts: readonly number[];
  /** Arguments that may be read as shell source. */
  readonly scripts: readonly string[];
  /** Whether it is known to run them; otherwise the program is unknown. */
  readonly certain: boolean;
  /** Whether the scripts must be understood because they are run or evaluated. */
  readonly judged: boolean;
}

const nothing: Carried = { starts: [], scripts: [], certain: true, judged: true };

/** Returns the script of `bash -c '…'` and `sh -lc '…'`, in the forms that run only this script. */
export function scriptOfShell(words: readonly ShellWord[]): string | undefined {
  if (words.some(word => word.open || word.tilde)) return undefined;
  const [shell = '', ...rest] = words.map(word => word.value);
  if (!plainShell.test(shell)) return undefined;
  const script = rest.pop();
  return /^(-c|-lc|-cl|-l -c)$/.test(rest.join(' ')) ? script : undefined;
}

/**
 * Returns everything a command could run, as an overestimate: for rules that deny or ask, never for rules that allow.
 */
export function carriedBy(words: readonly ShellWord[]): Carried {
  const kind = kindOfProgram(words);
  if (kind === 'inert' || words.length === 0) return nothing;
  const certain = kind === 'shell' || kind === 'runner';
  const option = isFinderName(words[0]?.value ?? '') ? words.findIndex(word => runningOption.test(word.value)) : 0;
  if (option < 0) return carriedFrom(words, 1, false);
  return { ...carriedFrom(words, option + 1, certain), judged: certain || kind === 'builtin' };
}

/** Returns everything that these words would run if they were passed to a shell. */
export function carriedFrom(words: readonly ShellWord[], first: number, certain: boolean): Carried {
  const values = words.map(word => word.value);
  const starts = values.flatMap((_, index) => (index >= Math.max(first, 1) ? [index] : []));
  const scripts = values.slice(first).flatMap(scriptsIn);
  const evalAt = [0, ...starts].find(start => baseName(values[start] ?? '') === 'eval');
  if (evalAt !== undefined) scripts.push(values.slice(evalAt + 1).join(' '));
  return { starts, scripts, certain, judged: certain };
}

/** Whether the words contain a shell that reads its commands from stdin. */
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
