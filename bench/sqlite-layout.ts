import { statSync } from 'node:fs';
import { LayoutFile, type TableLayout, tableLayouts } from './peers/table-layouts.ts';
import type { Result } from './result.ts';
import { temporaryFolder } from './temporary-folder.ts';

const eventBytes = [200, 1_000, 2_000, 3_000, 4_000, 16_000];
const pageSizes = [4_096, 16_384];
const threads = 20;
const totalBytes = 8_000_000;
const readAtOnce = 100;

/** The layout of the log, against others: what events of some length take on disk, to append and to read. */
export async function* sqliteLayout(): AsyncGenerator<Result> {
  for (const bytes of eventBytes) {
    const [first, ...others] = tableLayouts.flatMap(layout =>
      pageSizes.map(pageSize => ({
        name: `${layout.name}, pages of ${pageSize}`,
        ...measure(layout, pageSize, bytes),
      })),
    );
    if (first === undefined) continue;
    const size = `events of ${bytes.toLocaleString('en-US')} bytes`;
    for (const { name, disk, append, read } of others) {
      const versus = `SQLite layout: vs ${name}`;
      yield { claim: `${versus}, bytes on disk`, size, unit: 'bytes per byte', ours: first.disk, peer: disk };
      yield { claim: `${versus}, append`, size, unit: 'µs', ours: first.append, peer: append };
      yield { claim: `${versus}, read`, size, unit: 'µs', ours: first.read, peer: read };
    }
  }
}

function measure(layout: TableLayout, pageSize: number, bytes: number) {
  const folder = temporaryFolder();
  const path = folder.path('events.db');
  const file = new LayoutFile(path, layout, pageSize);
  const count = Math.min(8_000, Math.floor(totalBytes / bytes));
  const body = JSON.stringify('x'.repeat(bytes - 2));
  const append = timed(count, () => {
    for (let n = 0; n < count; n++) file.append((n % threads) + 1, Math.floor(n / threads) + 1, body);
  });
  file.settle();
  const disk = statSync(path).size / (count * bytes);
  const read = timed(count, () => {
    for (let thread = 1; thread <= threads; thread++)
      for (let after = 0; after < count / threads; after += readAtOnce) file.read(thread, after, readAtOnce);
  });
  file.close();
  folder.remove();
  return { disk, append, read };
}

/** Microseconds for each of so many. */
function timed(count: number, action: () => void): number {
  const start = performance.now();
  action();
  return ((performance.now() - start) * 1000) / count;
}
