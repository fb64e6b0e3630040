import type { FileHandle } from 'node:fs/promises';

const beginning = 8 * 1024;

/** The kind of a file that is text in another encoding. */
export const utf16 = 'UTF-16 text';

/** The signatures of file kinds, in Latin-1; WebP has its name after a length. */
const kinds: readonly (readonly [start: string, kind: string, at?: number])[] = [
  ['\x89PNG\r\n', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['WEBP', 'a WebP image', 8],
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['\x7fELF', 'a program (ELF)'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['\xff\xfe', utf16],
  ['\xfe\xff', utf16],
];

/** Returns the kind of a file that is not UTF-8 text; undefined when it looks like text. */
export async function describeBinary(handle: FileHandle): Promise<string | undefined> {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(beginning), 0, beginning, 0);
  return binaryKind(buffer.subarray(0, bytesRead));
}

/** Like `describeBinary`, for the first bytes of a file. */
export function binaryKind(bytes: Buffer): string | undefined {
  const first = bytes.toString('latin1', 0, 32);
  const [, kind] = kinds.find(([start, , at = 0]) => first.startsWith(start, at)) ?? [];
  return kind ?? (bytes.includes(0) ? 'binary data' : undefined);
}
