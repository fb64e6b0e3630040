import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { SqliteLog } from '../src/log/index.ts';
import { HookReceiver } from './support/hook-receiver.ts';

const sender = fileURLToPath(new URL('support/webhook-sender.mjs', import.meta.url));

it('a webhook whose process is killed again and again sends every event, in order, and few of them twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-crash-'));
  const file = join(folder, 'threads.db');
  const receiver = await new HookReceiver().listen();
  const log = new SqliteLog(file);
  const start = () => spawn(process.execPath, [sender, file, receiver.host, receiver.secret], { stdio: 'inherit' });
  try {
    const ids = await Promise.all([1, 2, 3].map(async () => (await log.createThread()).id));
    const count = 200;
    for (const id of ids)
      await log.append(
        id,
        Array.from(
          { length: count },
          (_, index) => ({ type: 'text', runId: 'r', id: 'm', content: `${index}` }) as const,
        ),
      );
    for (const share of [0.2, 0.5, 0.8]) {
      const child = start();
      await expect.poll(() => receiver.accepted.length, { timeout: 30_000 }).toBeGreaterThan(share * 3 * count);
      const killed = once(child, 'exit');
      child.kill('SIGKILL');
      await killed;
    }
    const last = start();
    const all = Array.from({ length: count }, (_, index) => index + 1);
    for (const id of ids) await expect.poll(() => receiver.seqsOf(id), { timeout: 30_000 }).toEqual(all);
    const ended = once(last, 'exit');
    last.kill('SIGKILL');
    await ended;
    // A killed process repeats at most what it sent since it last stored how far it was.
    expect(receiver.keys.length).toBeLessThan(2 * 3 * count);
  } finally {
    await receiver.die();
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
