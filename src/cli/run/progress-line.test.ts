import { describe, expect, it } from 'vitest';
import { recordedStream } from '../../../test/support/recorded-stream.ts';
import { ProgressLine } from './progress-line.ts';

/** What is written for three reports, one every second. */
function written(isTTY: boolean): string {
  const { stream, printed } = recordedStream({ isTTY });
  let now = 0;
  const progress = new ProgressLine(stream, () => now);
  for (const count of [1, 2, 3]) {
    now += 1_000;
    progress.show(`${count} threads`);
  }
  progress.end();
  progress.end();
  if (isTTY) return printed();
  now += 10_000;
  progress.show('later');
  return printed();
}

describe('a line of progress', () => {
  it('changes on a terminal and ends with a new line', () => {
    expect(written(true)).toBe('\r1 threads\u001b[K\r2 threads\u001b[K\r3 threads\u001b[K\r3 threads\u001b[K\n');
  });

  it('is written elsewhere only for work that takes long', () => {
    expect(written(false)).toBe('later\n');
  });
});
