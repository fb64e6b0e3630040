import { createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { standardError } from '../../control/standard-output.ts';
import { SingletreeError } from '../../events/index.ts';

/** Writes a file that only its owner can read; never over another one. */
export async function writeNew(file: string, pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new SingletreeError('invalid_argument', `"${file}" exists already. Name a new file, or remove it first.`);
    if (code === 'ENOENT')
      throw new SingletreeError('invalid_argument', `There is no folder "${dirname(file)}" to write "${file}" in.`);
    throw error;
  }
  await standardError.write(`Wrote ${file}\n`);
}
