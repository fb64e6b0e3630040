import { describe, expect, it } from 'vitest';
import { Supervisor } from '../control/supervision/supervisor.ts';
import type { EventOf } from '../events/vocabulary.ts';
import { MemoryLog } from '../log/memory-log.ts';
import { possibleAnswers } from './possible-answers.ts';

const permission: EventOf<'relay'> = {
  type: 'relay',
  runId: 'r',
  id: 'q',
  relayKind: 'permission',
  toolCallId: 'c',
  tool: 't',
  params: {},
};

describe('the possible answers of a relay', () => {
  it('are those of its kind that its agent can act on', () => {
    expect(possibleAnswers(permission)).toEqual(['approve', 'reject', 'revise']);
    expect(possibleAnswers({ ...permission, answers: ['reject', 'approve', 'answer'] })).toEqual(['approve', 'reject']);
    expect(possibleAnswers({ relayKind: 'question' })).toEqual(['answer', 'reject']);
  });

  it('are named when another one is refused', async () => {
    const log = new MemoryLog();
    const { id } = await log.createThread();
    await log.append(id, [{ ...permission, answers: ['approve', 'reject'] }]);
    await expect(new Supervisor({ log }).answer(id, 'q', { outcome: 'revise', input: {} })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('expected approve, reject, got "revise"'),
    });
  });
});
