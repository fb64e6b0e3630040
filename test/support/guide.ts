import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A step of a guide: a file to save, a command to run with what it prints, or a command that stays in the background. */
export type GuideStep =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'run'; readonly command: string; readonly output?: string }
  | { readonly kind: 'serve'; readonly command: string };

/**
 * Reads the steps that a reader of a page follows: blocks that begin with the comment `// name.mjs` are files, `sh run`
 * blocks are commands, `sh serve` blocks are commands for a terminal of their own, and the `text` block after a command is
 * what it prints. `edits` adapt the page to this machine; each has to apply.
 */
export function guideSteps(page: string, edits: readonly (readonly [string, string])[] = []): GuideStep[] {
  let text = readFileSync(join(root, page), 'utf8');
  for (const [from, to] of edits) {
    if (!text.includes(from)) throw new Error(`${page} does not contain ${JSON.stringify(from)}`);
    text = text.replaceAll(from, to);
  }
  const steps: GuideStep[] = [];
  for (const [, info = '', code = ''] of text.matchAll(/^```(\S.*)\n([\s\S]*?)^```$/gm)) {
    const [, name] = /^(?:\/\/|#) (\S+\.(?:mjs|ts|json|jsonl|md|log))\n/.exec(code) ?? [];
    const last = steps.at(-1);
    if (info === 'sh run') steps.push({ kind: 'run', command: code });
    else if (info === 'sh serve') steps.push({ kind: 'serve', command: code });
    else if (info === 'text' && last?.kind === 'run') steps[steps.length - 1] = { ...last, output: code };
    else if (name !== undefined) steps.push({ kind: 'file', name, text: code });
  }
  return steps;
}

/** Matches what a command printed against a guide: `…` stands for any text of a line, and alone for any lines. */
export function outputPattern(expected: string): RegExp {
  const escaped = expected.trim().replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replace(/^…$/gm, '[\\s\\S]*?').replaceAll('…', '.*')}$`);
}

/** A shell in a folder, in which the commands of a guide run one after the other. */
export class GuideShell {
  readonly #shell: ChildProcess;
  readonly #folder: string;
  #printed = '';
  #count = 0;
  readonly #ended: Promise<unknown>;

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    // A group of its own: what the commands leave in the background ends with it.
    this.#shell = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, detached: true });
    this.#ended = once(this.#shell, 'exit');
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.on('data', (data: Buffer) => (this.#printed += String(data)));
  }

  save(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }

  /** Runs a command and returns its exit code and what it printed on both streams. */
  async run(command: string): Promise<{ readonly status: number; readonly printed: string }> {
    const mark = `end-of-step-${++this.#count}`;
    const begin = this.#printed.length;
    this.#shell.stdin?.write(`${command}\nprintf '\\n%s %d\\n' ${mark} $?\n`);
    const end = new RegExp(`\\n${mark} (\\d+)\\n`);
    for (;;) {
      const [found, status] = end.exec(this.#printed.slice(begin)) ?? [];
      if (found !== undefined)
        return { status: Number(status), printed: this.#printed.slice(begin, this.#printed.indexOf(found, begin)) };
      await Promise.race([this.#more(), this.#ended]);
      if (this.#shell.exitCode !== null) throw new Error(`The shell ended:\n${this.#printed}`);
    }
  }

  /** Settles when the shell prints something. */
  async #more(): Promise<void> {
    await once(this.#shell.stdout as NodeJS.ReadableStream, 'data');
  }

  /** Starts a command in the background and waits until it has printed a line. */
  async serve(command: string): Promise<void> {
    const file = `serve-${++this.#count}.out`;
    await this.run(`{\n${command}\n} > ${file} 2>&1 < /dev/null &\nuntil [ -s ${file} ]; do sleep 0.05; done`);
  }

  /** Ends the shell and everything that runs in it. */
  async end(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#shell;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    process.kill(-pid, 'SIGKILL');
    await this.#ended;
  }
}
