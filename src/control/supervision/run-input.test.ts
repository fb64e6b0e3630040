import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { ownSession } from './run-input.ts';

const session = { id: 's', known: 1 };
const said: AgentEvent = { type: 'user', runId: 'r', content: 'x' };

async function setUp() {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  await log.append(id, [said, said]);
  const branch = await log.branch(id, 2);
  return { log, id, branch: branch.id };
}

describe('the session of a thread that branched off', () => {
  it('is a copy of the inherited one', async () => {
    const { log, id, branch } = await setUp();
    expect(await ownSession(log, id, { session, seq: 2 })).toEqual(session);
    expect(await ownSession(log, branch, { session, seq: 2 })).toEqual({ ...session, fork: true });
    const { id: second } = await log.branch(branch, 2);
    expect(await ownSession(log, second, { session, seq: 2 })).toEqual({ ...session, fork: true });
  });

  it('is its own when it was used since', async () => {
    const { log, branch } = await setUp();
    await log.append(branch, [said]);
    expect(await ownSession(log, branch, { session, seq: 3 })).toEqual(session);
  });

  it('is a new one when the other thread went on', async () => {
    const { log, id, branch } = await setUp();
    await log.append(id, [said]);
    expect(await ownSession(log, branch, { session, seq: 2 })).toBeUndefined();
  });
});
