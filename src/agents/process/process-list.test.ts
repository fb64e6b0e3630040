import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listFromProc, listProcesses, type ProcessFiles } from './process-list.ts';

/** Plays what `/proc` shows in each reading: the environment of each process, `undefined` while it starts. */
function playedFiles(...readings: Readonly<Record<number, string | undefined>>[]): ProcessFiles {
  let now: Readonly<Record<number, string | undefined>> = {};
  return {
    pids: () => {
      now = readings.shift() ?? now;
      return Promise.resolve(Object.keys(now).map(Number));
    },
    environment: pid => Promise.resolve(now[pid] ?? ''),
    isStarting: pid => Promise.resolve(pid in now && now[pid] === undefined),
  };
}

describe('the list of processes', () => {
  it('has a child that was started while the list was read, by a parent that has ended', async () => {
    const files = playedFiles({ 1: 'init', 2: '' }, { 1: 'init', 3: 'MARK=1' });
    expect(await listFromProc(files)).toContainEqual({ pid: 3, shown: 'MARK=1' });
  });

  it('has the environment of a process that was replacing its program', async () => {
    const files = playedFiles({ 2: undefined }, { 2: undefined }, { 2: 'MARK=1' });
    expect(await listFromProc(files)).toEqual([{ pid: 2, shown: 'MARK=1' }]);
  });

  it('ends also when a process never has an environment', async () => {
    expect(await listFromProc(playedFiles({ 2: undefined }))).toEqual([]);
  });

  it.skipIf(!existsSync('/proc/self/environ'))('never misses a chain of processes that start one another', async () => {
    const mark = `SINGLETREE_LISTED=${process.pid}`;
    // Each process starts the next one and ends, until nobody reads what the last one would write.
    const link = 'n=$1; [ "$n" -gt 0 ] || exec cat; /bin/sh -c "$0" "$0" $((n - 1)) <&3 3<&3 &';
    const env = { PATH: process.env['PATH'], SINGLETREE_LISTED: String(process.pid) };
    const chain = spawn('/bin/sh', ['-c', link, link, '400'], { env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const ended = once(chain, 'exit');
    let lists = 0;
    for (; lists < 15; lists++)
      expect(
        (await listProcesses()).some(({ shown }) => shown.includes(mark)),
        `list ${lists}`,
      ).toBe(true);
    chain.stdio[3]?.destroy();
    await ended;
  });
});
