import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { spawn as spawnAtTerminal } from '@lydell/node-pty';
import { expect } from 'vitest';
import { bareEnvironment } from './bare-environment.ts';
import { type ScriptedServer, startScriptedServer } from '../../src/testing/index.ts';

/** The built command. */
export const command: string = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

const call = (name: string, input: object) => [{ toolCall: { name, input } }];

/** How a model fixes the repository of a scene: it asks to run the test, reads, asks to edit, and asks to test again. */
const steps = [
  call('bash', { command: 'node test.js' }),
  call('read', { path: 'add.js' }),
  call('edit', { path: 'add.js', old_string: 'a - b', new_string: 'a + b' }),
  call('bash', { command: 'node test.js' }),
  'It subtracted. It adds now, and the test passes.',
];

type Script = Parameters<typeof startScriptedServer>[0]['script'];

/** The next step depends on the conversation only, so that a resumed run continues. */
const fixing: Script = ({ step, lastUserText }) =>
  lastUserText.startsWith('Only') ? 'It subtracts where it should add.' : (steps[step] ?? '');

/** A program at a terminal: what it printed, and the keys to press. */
export interface AtTerminal {
  readonly pid: number;
  readonly printed: () => string;
  readonly type: (keys: string) => void;
  readonly ended: Promise<number>;
}

/** A small repository with a failing test, a data folder, and a model that can fix it. */
export class CoderScene {
  readonly repository: string;
  readonly home: string;
  readonly model: ScriptedServer;
  /** The folder that commands run in. */
  folder: string;

  private constructor(root: string, model: ScriptedServer) {
    [this.repository, this.home] = [join(root, 'repository'), join(root, 'home')];
    this.folder = this.repository;
    this.model = model;
  }

  /** Opens a scene with a model that fixes the test, or that follows another script. */
  static async open(script: Script = fixing): Promise<CoderScene> {
    const model = await startScriptedServer({ script });
    const scene = new CoderScene(realpathSync(mkdtempSync(join(tmpdir(), 'singletree-coder-'))), model);
    const { repository } = scene;
    mkdirSync(repository);
    execFileSync('git', ['init', '--quiet'], { cwd: repository });
    writeFileSync(join(repository, 'package.json'), '{ "type": "module" }\n');
    writeFileSync(join(repository, 'add.js'), 'export const add = (a, b) => a - b;\n');
    writeFileSync(
      join(repository, 'test.js'),
      "import { add } from './add.js';\nprocess.exit(add(2, 2) === 4 ? 0 : 1);\n",
    );
    return scene;
  }

  get env(): Record<string, string> {
    return { OPENAI_API_KEY: 'sk-scripted-key', OPENAI_BASE_URL: `${this.model.url}/v1` };
  }

  /** The file that the model edits. */
  source(): string {
    return readFileSync(join(this.repository, 'add.js'), 'utf8');
  }

  /** Runs the command in the folder, without a terminal. */
  async run(...args: readonly string[]) {
    const child = spawn(process.execPath, [command, ...args], {
      cwd: this.folder,
      env: { ...bareEnvironment(), SINGLETREE_HOME: this.home, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { status: status as number, stdout, stderr };
  }

  /** The width of the terminals that are started from now on. */
  columns = 100;

  /** Starts the command in the folder, at a terminal. */
  atTerminal(...args: readonly string[]): AtTerminal {
    let printed = '';
    const terminal = spawnAtTerminal(process.execPath, [command, ...args], {
      cwd: this.folder,
      env: { ...bareEnvironment(), SINGLETREE_HOME: this.home, ...this.env },
      cols: this.columns,
      rows: 30,
    });
    terminal.onData(data => (printed += data));
    const ended = new Promise<number>(resolve => terminal.onExit(({ exitCode }) => resolve(exitCode)));
    return { pid: terminal.pid, printed: () => printed, type: keys => terminal.write(keys), ended };
  }

  close(): Promise<void> {
    return this.model.close();
  }
}

/** Waits until a question was printed this many times, and approves the last one. */
export async function approve(terminal: AtTerminal, count: number): Promise<void> {
  await asked(terminal, count);
  terminal.type('a\r');
}

/** Waits until something was asked this many times. */
export async function asked({ printed }: AtTerminal, count: number): Promise<void> {
  const questions = () => printed().match(/\by (?:once|approve)\b/g) ?? [];
  await expect.poll(() => questions().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
}
