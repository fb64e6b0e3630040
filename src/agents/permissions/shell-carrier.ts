import type { ShellWord } from './shell-word.ts';

const shells: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh mksh ash fish csh tcsh rbash pwsh powershell'.split(' '),
);

const wrappers: ReadonlySet<string> = new Set(
  (
    'sudo doas su runuser pkexec env command builtin exec eval nohup nice ionice chrt taskset time timeout stdbuf ' +
    'setsid xargs parallel watch script flock chroot unshare nsenter strace ltrace gdb valgrind busybox toybox trap ' +
    'alias hash coproc noglob nocorrect - caffeinate unbuffer systemd-run at batch entr ssh npx bunx pnpx'
  ).split(' '),
);

const finders: ReadonlySet<string> = new Set(['find', 'gfind', 'fd', 'fdfind', 'rg', 'ripgrep']);
const runningOption = /^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch|--pre|--hostname-bin)$/;
const actingOption = /^(-exec|-ok|-delete|-fprint|-fls|-[a-zA-Z]*[xX]$|--exec|--pre|--hostname-bin)/;

/** What the words of a simple command could run beside the command they name. */
export interface Carried {
  /** Where in the words a command may start; always has 0. */
  readonly starts: readonly number[];
  /** Arguments that may be read as shell source. */
  readonly scripts: readonly string[];
  /** It holds a shell that reads its commands from its input. */
  readonly readsInput: boolean;
}

/** The last part of a path: `/bin/rm` is `rm`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether the command is a shell, as `bash script.sh`. */
export function isShell(words: readonly ShellWord[]): boolean {
  return shells.has(baseName(words[0]?.value ?? ''));
}

/** Whether the command runs, or deletes, what its arguments say: `sudo`, `xargs`, `find -exec`. */
export function isWrapper(words: readonly ShellWord[]): boolean {
  const name = baseName(words[0]?.value ?? '');
  if (wrappers.has(name)) return true;
  return finders.has(name) && words.slice(1).some(word => word.open || actingOption.test(word.value));
}

/** The script of `bash -c '…'` and `sh -lc '…'`, in the forms that run it and nothing else. */
export function scriptOfShell(words: readonly ShellWord[]): string | undefined {
  if (words.some(word => word.open || word.tilde)) return undefined;
  const [shell = '', ...rest] = words.map(word => word.value);
  if (!/^(\/usr)?(\/bin\/)?(ba|z|da)?sh$/.test(shell)) return undefined;
  const script = rest.pop();
  return /^(-c|-lc|-cl|-l -c)$/.test(rest.join(' ')) ? script : undefined;
}

/** Everything a command could run, generously: for rules that refuse or ask, never for rules that allow. */
export function carriedBy(words: readonly ShellWord[], everything = false): Carried {
  const values = words.map(word => word.value);
  const first = everything ? 0 : carrierEnd(values);
  const starts = [0];
  const scripts: string[] = [];
  for (let index = first; index < values.length; index++) {
    if (index > 0) starts.push(index);
    scripts.push(...scriptsIn(values[index] ?? ''));
  }
  const evalAt = starts.find(start => baseName(values[start] ?? '') === 'eval');
  if (evalAt !== undefined) scripts.push(values.slice(evalAt + 1).join(' '));
  const shellAt = starts.find(start => shells.has(baseName(values[start] ?? '')));
  const readsInput =
    shellAt !== undefined && values.slice(shellAt + 1).every(value => /^(-.*|\/dev\/stdin)$/.test(value));
  return { starts, scripts, readsInput };
}

/** Where the arguments begin that may be commands; the number of words when none may. */
function carrierEnd(values: readonly string[]): number {
  const name = baseName(values[0] ?? '');
  if (shells.has(name) || wrappers.has(name)) return 1;
  const option = finders.has(name) ? values.findIndex(value => runningOption.test(value)) : -1;
  return option < 0 ? values.length : option + 1;
}

/** An argument may carry its script without a space: `-S'rm x'`, `--run='rm x'`, `x=rm`. */
function scriptsIn(value: string): string[] {
  const whole = /[\s;&|<>()`$'"\\]/.test(value) ? [value] : [];
  const attached = /^(?:-\w(?=.*\s)|[\w-]+=)([^]+)$/.exec(value)?.[1];
  return attached === undefined ? whole : [...whole, attached];
}
