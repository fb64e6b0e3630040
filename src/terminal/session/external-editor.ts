import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Lets a person edit a text in `$VISUAL` or `$EDITOR`; returns it, or undefined when the editor failed. */
export async function editInEditor(text: string, name: string): Promise<string | undefined> {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
  const folder = await mkdtemp(join(tmpdir(), 'singletree-edit-'));
  const file = join(folder, name);
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
