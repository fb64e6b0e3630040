import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { textOfBase64 } from '../../agents/model/attachments/attachment-data.ts';
import { type ContentPart, errorText, SingletreeError } from '../../events/index.ts';
import { checkAttachedSize, mediaTypeFor } from '../../terminal/session/attached-files.ts';

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
