import { readFile } from 'node:fs/promises';
import type { HarnessFile } from '../../control/index.ts';
import { SingletreeError } from '../../events/index.ts';
import type { Submission } from '../composer/composer.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
};
const mostBytes = 20_000_000;

/** Reads the images and PDF files of a message; other files are only named in its text. */
export function attachedFiles(attachments: Submission['attachments']): Promise<readonly HarnessFile[]> {
  const known = attachments.flatMap(({ path, bytes }) => {
    const mediaType = mediaTypes[path.split('.').at(-1)?.toLowerCase() ?? ''];
    return mediaType === undefined ? [] : [{ path, bytes, mediaType }];
  });
  return Promise.all(
    known.map(async ({ path, bytes, mediaType }) => {
      if (bytes > mostBytes)
        throw new SingletreeError('invalid_argument', `${path} is larger than 20 MB. Attach a smaller file.`);
      const data = (await readFile(path)).toString('base64');
      return { data, mediaType, filename: path.split('/').at(-1) ?? path };
    }),
  );
}
