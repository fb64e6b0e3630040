import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { SqliteLog } from './sqlite-log.ts';

const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some(file => /[\\/]libsql[\\/]/.test(file));

it('loads SQLite when a log is opened, and not before', async () => {
  expect(isLoaded()).toBe(false);
  const log = new SqliteLog(':memory:');
  await log.close();
  expect(isLoaded()).toBe(true);
});
