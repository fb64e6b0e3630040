import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a line did when a real shell ran it. */
export interface LineRun {
  readonly line: string;
  /** The programs that were called, each with its arguments; those of a line in the background may be found behind it. */
  readonly calls: readonly (readonly string[])[];
  /** What the shell wrote to its error output. */
  readonly errors: string;
}

/** Runs shell lines where they can do no harm, and records what they call. */
export interface ShellSandbox {
  /** Runs lines one after the other, each in a shell of its own. */
  run(shell: string, lines: readonly string[]): Promise<LineRun[]>;
  /** The names of the files in the folder where lines run. */
  files(): string[];
  close(): void;
}

/** Programs that only record their call. */
const stubs = 'ls cat git npm grep touch rm curl node python3 make sed awk tee cp mv mkdir sudo sort tmux'.split(' ');
/** Programs that run their arguments. */
const runners = 'env nohup nice timeout setsid stdbuf setarch xargs find'.split(' ');
const shells = ['sh', 'bash', 'dash', 'zsh'];

/** The path of a program on this machine. */
export function programPath(name: string): string | undefined {
  return ['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].map(dir => join(dir, name)).find(existsSync);
}

/**
 * Makes a sandbox: no network and no rights where the machine lets that be arranged, a folder that is not writable, and
 * only programs that record their calls, among them `foo`, which runs its arguments.
 */
export function createShellSandbox(): ShellSandbox {
  const root = mkdtempSync(join(tmpdir(), 'singletree-shell-'));
  const work = join(root, 'work');
  mkdirSync(join(work, 'src'), { recursive: true });
  for (const file of ['a', 'b.ts', 'src/x.ts']) writeFileSync(join(work, file), '');
  for (const folder of [join(work, 'src'), work]) chmodSync(folder, 0o555);
  chmodSync(root, 0o755);
  const { prefix, user } = confinement();
  let runs = 0;

  async function run(shell: string, lines: readonly string[]): Promise<LineRun[]> {
    const folder = join(root, `run-${runs++}`);
    const { driver, record, errors } = prepare({ folder, work, shell, lines });
    const [command, ...args] = [...prefix, programPath('bash') ?? 'bash', driver] as const;
    await new Promise<void>((resolve, reject) => {
      const child = spawn(command, args, { cwd: work, env: {}, stdio: 'ignore', timeout: 600_000, ...user });
      child.on('error', reject);
      child.on('close', code => (code === 0 ? resolve() : reject(new Error(`The shell driver ended with ${code}.`))));
    });
    const calls = callsIn(readFileSync(record, 'utf8'));
    const texts = readFileSync(errors, 'utf8').split('\0').slice(1);
    return lines.map((line, index) => ({ line, calls: calls[index] ?? [], errors: texts[index] ?? '' }));
  }

  return {
    run,
    files: () => readdirSync(work, { recursive: true }).map(String).toSorted(),
    close: () => {
      for (const path of [work, join(work, 'src')]) chmodSync(path, 0o755);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

interface Batch {
  readonly folder: string;
  readonly work: string;
  readonly shell: string;
  readonly lines: readonly string[];
}

function prepare({ folder, work, shell, lines }: Batch) {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const [record, errors, input, driver] = ['record', 'errors', 'lines', 'driver'].map(name => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const file of [record, errors]) {
    writeFileSync(file, '');
    chmodSync(file, 0o666);
  }
  const noted = `printf '%s\\0' "$#" "\${0##*/}" "$@" >>'${record}'`;
  for (const name of stubs) writeProgram(join(bin, name), noted);
  writeProgram(join(bin, 'foo'), `${noted}\n[ "$#" = 0 ] || exec "$@" 2>/dev/null`);
  for (const name of runners) link(name, join(bin, name));
  for (const name of shells) {
    const path = programPath(name);
    // A login shell would read a profile that sets another PATH.
    const login = 'case "$1" in -lc|-cl) shift; set -- -c "$@";; -l) shift;; esac';
    if (path !== undefined) writeProgram(join(bin, name), `${login}\nexec '${path}' "$@"`);
  }
  writeFileSync(input, lines.map(line => `${line}\0`).join(''));
  const start = `PATH='${bin}' HOME='${work}' '${programPath(shell)}' ${shell === 'zsh' ? '-f ' : ''}-c`;
  const next = `printf 'next\\0' >>'${record}'; printf '\\0' >>'${errors}'`;
  const runs = `${start} "$line" </dev/null >/dev/null 2>>'${errors}'`;
  writeFileSync(driver, `while IFS= read -r -d '' line; do ${next}; ${runs}; done <'${input}'\nexit 0\n`);
  return { driver, record, errors };
}

function writeProgram(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

function link(name: string, path: string): void {
  const target = programPath(name);
  if (target !== undefined) symlinkSync(target, path);
}

interface Confinement {
  /** What the command is run by. */
  readonly prefix: readonly string[];
  readonly user: { readonly uid?: number; readonly gid?: number };
}

const nobody = 65_534;

/** Takes network and rights away from a command, by all that works on this machine; root is given up always. */
function confinement(): Confinement {
  if (process.getuid?.() !== 0) return { prefix: works(['unshare', '-cn']) ? ['unshare', '-cn'] : [], user: {} };
  const rights = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  if (!works(rights)) return { prefix: [], user: { uid: nobody, gid: nobody } };
  return { prefix: works(['unshare', '-n']) ? ['unshare', '-n', ...rights] : rights, user: {} };
}

function works([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, [...args, 'true']).status === 0;
}

/** The calls of each line, from records of a number of arguments, a name and the arguments. */
function callsIn(record: string): string[][][] {
  const fields = record.split('\0').slice(0, -1);
  const lines: string[][][] = [];
  for (let at = 0; at < fields.length; at++) {
    if (fields[at] === 'next') {
      lines.push([]);
      continue;
    }
    const end = at + 2 + Number(fields[at]);
    lines.at(-1)?.push(fields.slice(at + 1, end));
    at = end - 1;
  }
  return lines;
}
