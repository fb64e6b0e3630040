import { once } from 'node:events';

/** Writes to standard output and waits for backpressure; returns false when the reader has closed it. */
export async function writeOut(text: string | Uint8Array): Promise<boolean> {
  const { stdout } = process;
  if (stdout.destroyed || stdout.errored !== null) return false;
  if (!stdout.write(text)) await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]).catch(() => {});
  return stdout.errored === null;
}

/** A reader that closes early (`| head`) ends the output quietly. */
export function ignoreClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
