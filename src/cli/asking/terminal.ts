import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';

/** Where a person is asked. */
export interface Terminal {
  write(text: string): void;
  /** Returns the line that a person enters; rejects when the signal aborts. */
  ask(prompt: string, signal: AbortSignal): Promise<string>;
  /** Lets a person edit a text; returns it, or undefined when the editor failed. */
  edit(text: string): Promise<string | undefined>;
}

/** The terminal of this process; `interrupt` is called for Ctrl-C during a question. */
export function processTerminal(interrupt: () => void): Terminal {
  return {
    write: text => void process.stdout.write(text),
    ask: async (prompt, signal) => {
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      const closed = new AbortController();
      lines.on('SIGINT', interrupt);
      lines.once('close', () => closed.abort(new Error('The input has ended.')));
      try {
        return await lines.question(prompt, { signal: AbortSignal.any([signal, closed.signal]) });
      } finally {
        lines.close();
      }
    },
    edit: editInEditor,
  };
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
