import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { SingletreeError } from '../../events/index.ts';

/** Where a person is asked. */
export interface Terminal {
  write(text: string): void;
  /**
   * Returns the line that a person enters; undefined when the person ended the input (Ctrl-D). Rejects when the signal
   * aborts, and when no more input can come.
   */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Lets a person edit a text; returns it, or undefined when the editor failed. */
  edit(text: string): Promise<string | undefined>;
}

/** The terminal of this process; `interrupt` is called for Ctrl-C during a question. */
export function processTerminal(interrupt: () => void): Terminal {
  return {
    write: text => void process.stdout.write(text),
    ask: async (prompt, signal) => {
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      lines.on('SIGINT', interrupt);
      const closed = new Promise<undefined>(resolve => lines.once('close', () => resolve(undefined)));
      const line = lines.question(prompt, { signal });
      try {
        const entered = await Promise.race([line, closed]);
        if (entered === undefined && process.stdin.readableEnded) throw inputEnded();
        return entered;
      } finally {
        lines.close();
      }
    },
    edit: editInEditor,
  };
}

function inputEnded(): SingletreeError {
  return new SingletreeError(
    'not_supported',
    'The input of this terminal has ended. It still waits: answer with `singletree inbox`.',
  );
}

async function editInEditor(text: string): Promise<string | undefined> {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
  const folder = await mkdtemp(join(tmpdir(), 'singletree-edit-'));
  const file = join(folder, 'input.json');
  try {
    await writeFile(file, text, { mode: 0o600 });
    // The variable may hold a command with arguments.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    const code = await new Promise<number | null>(resolve => {
      child.once('error', () => resolve(null));
      child.once('close', resolve);
    });
    return code === 0 ? await readFile(file, 'utf8') : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
