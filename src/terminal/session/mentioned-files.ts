import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isInside, rootAt } from '../../agents/workspace/root.ts';

/** A file that a message mentions. */
export interface MentionedFile {
  /** Its absolute path. */
  readonly path: string;
  readonly bytes: number;
}

/** An at sign at the beginning of a word, as the completion of paths writes it. */
const mention = /(?<=^|[\s("'`])@(?:("(?:[^"\\]|\\.)*")|([^\s"@]+))/g;

/**
 * Returns the files of a folder that a text mentions as `@path`, or `@"path"` with spaces, each once. Whatever names no
 * file inside the folder is text.
 */
export async function mentionedFiles(text: string, folder: string): Promise<readonly MentionedFile[]> {
  const files = new Map<string, MentionedFile>();
  for (const [, quoted, word = ''] of text.matchAll(mention)) {
    const names = quoted === undefined ? [word, word.replace(/[.,;:!?)\]}'`]+$/, '')] : [unquoted(quoted)];
    for (const name of names) {
      const file = await fileIn(folder, name);
      if (file === undefined) continue;
      files.set(file.path, file);
      break;
    }
  }
  return [...files.values()];
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    // Not written by the completion: it names no file.
    return '';
  }
}

async function fileIn(folder: string, name: string): Promise<MentionedFile | undefined> {
  if (name === '' || name.includes('\0')) return undefined;
  const root = rootAt(folder);
  try {
    const path = resolve(root.path, name);
    const real = await realpath(path);
    const stats = await stat(real);
    return stats.isFile() && isInside(root, real) ? { path, bytes: stats.size } : undefined;
  } catch {
    // No such file, or none that can be read: it is text.
    return undefined;
  }
}
