import { readFile } from 'node:fs/promises';
import type { HarnessFile } from '../../control/index.ts';
import { SingletreeError } from '../../events/index.ts';
import type { MentionedFile } from './mentioned-files.ts';

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
export function mediaTypeFor(path: string): string | undefined {
  return mediaTypes[path.split('.').at(-1)?.toLowerCase() ?? ''];
}

/** Throws `invalid_argument` for a file that is too large to attach. */
export function checkAttachedSize(path: string, bytes: number): void {
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
