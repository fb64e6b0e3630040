import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newId } from '../../events/ids.ts';
import { removeRunFolders } from './run-record.ts';

it('removes the folders of the runs, and nothing that a hostile id points at', async () => {
  const home = mkdtempSync(join(tmpdir(), 'singletree-runs-'));
  const [gone, stays] = [newId(), newId()];
  for (const name of ['runs', `runs/${gone}`, `runs/${stays}`, 'keep']) mkdirSync(join(home, name));
  await removeRunFolders(home, [gone, '../keep', '..', '', 'not-there']);
  expect([gone, stays].map(runId => existsSync(join(home, 'runs', runId)))).toEqual([false, true]);
  expect(existsSync(join(home, 'keep'))).toBe(true);
  rmSync(home, { recursive: true });
});
