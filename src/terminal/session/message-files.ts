import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textOfBase64 } from '../../agents/model/attachments/attachment-data.ts';
import { isInside, rootAt } from '../../agents/workspace/root.ts';
import type { HarnessFile } from '../../control/harness/messages/message-content.ts';
import type { ContentPart } from '../../events/content.ts';
import { errorText } from '../../base/error-text.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

/** A file that a message mentions. */
interface MentionedFile {
  /** Its absolute path. */
  readonly path: string;
  readonly bytes: number;
}

/** An at sign at the beginning of a word, as the completion of paths writes it. */
const mention = /(?<=^|[\s("'`])@(?:("(?:[^"\\]|\\.)*")|([^\s"@]+))/g;

/**
 * Returns the files of a folder that a text mentions as `@path`, or `@"path"` with spaces, each once. A mention of
 * anything else is plain text.
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

const mostPaths = 20;

/**
 * Returns the paths that a pasted or dropped text consists of: absolute ones, below `~/`, or `file:` URLs, quoted or
 * with escaped spaces as terminals write them. Empty when it has anything else.
 */
export function pastedPaths(text: string, home: string): readonly string[] {
  const words = shellWords(text.trim());
  if (words === undefined || words.length === 0 || words.length > mostPaths) return [];
  const paths = words.map(word => toPath(word, home));
  return paths.includes(undefined) ? [] : (paths as string[]);
}

/** Whether a path is one of an image that models can see. */
export function isImagePath(path: string): boolean {
  return mediaTypeFor(path)?.startsWith('image/') === true;
}

function toPath(word: string, home: string): string | undefined {
  if (word.includes('\0')) return undefined;
  if (word.startsWith('file://')) {
    try {
      return fileURLToPath(word);
    } catch {
      return undefined; // It is no address of a file.
    }
  }
  if (word.startsWith('~/')) return home + word.slice(1);
  // A lone slash and a word, such as /help, is a command rather than a file.
  return isAbsolute(word) && /^\/[^/]+\//.test(word) ? word : undefined;
}

/** Splits at spaces and line breaks outside of quotes; undefined when a quote is open. */
function shellWords(text: string): readonly string[] | undefined {
  if (text.length > 10_000) return undefined;
  const words: string[] = [];
  let rest = text;
  while (rest !== '') {
    const match = /^(?:'[^']*'|"[^"]*"|\\[^\n]|[^\s'"\\])+/.exec(rest);
    if (match === null) return undefined;
    words.push(
      match[0].replaceAll(
        /'([^']*)'|"([^"]*)"|\\(.)/g,
        (_, single = '', double = '', escaped = '') => single + double + escaped,
      ),
    );
    rest = rest.slice(match[0].length).trimStart();
  }
  return words;
}

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
};
const mostBytes = 20_000_000;

/** Returns the media type of an image or a PDF file by its name; undefined for other files. */
function mediaTypeFor(path: string): string | undefined {
  return mediaTypes[path.split('.').at(-1)?.toLowerCase() ?? ''];
}

/** Throws `invalid_argument` for a file that is too large to attach. */
function checkAttachedSize(path: string, bytes: number): void {
  if (bytes > mostBytes)
    throw new SingletreeError('invalid_argument', `${path} is larger than 20 MB. Attach a smaller file.`);
}

/** Reads the images and PDF files of a message; other files are only named in its text. */
export function attachedFiles(attachments: readonly MentionedFile[]): Promise<readonly HarnessFile[]> {
  const known = attachments.flatMap(({ path, bytes }) => {
    const mediaType = mediaTypeFor(path);
    return mediaType === undefined ? [] : [{ path, bytes, mediaType }];
  });
  return Promise.all(
    known.map(async ({ path, bytes, mediaType }) => {
      checkAttachedSize(path, bytes);
      const data = (await readFile(path)).toString('base64');
      return { data, mediaType, filename: path.split('/').at(-1) ?? path };
    }),
  );
}

/** Reads files as parts of a message; throws `invalid_argument` for one that cannot be read or is too large. */
export function readAttachments(paths: readonly string[]): Promise<ContentPart[]> {
  return Promise.all(
    paths.map(async (path): Promise<ContentPart> => {
      const bytes = await readFile(path).catch((error: unknown) => {
        throw new SingletreeError('invalid_argument', `The attachment "${path}" cannot be read: ${errorText(error)}`);
      });
      checkAttachedSize(path, bytes.length);
      const data = bytes.toString('base64');
      const textType = textOfBase64(data) === undefined ? 'application/octet-stream' : 'text/plain';
      const mediaType = mediaTypeFor(path) ?? textType;
      if (mediaType.startsWith('image/')) return { type: 'image', data, mediaType };
      return { type: 'file', data, mediaType, filename: basename(path) };
    }),
  );
}
