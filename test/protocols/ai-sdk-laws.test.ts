import type { UIMessageChunk } from 'ai7';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lawRuns } from '../support/run-size.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { type AiSdkChunk, type AiSdkVersion, aiSdkEncoder } from '../../src/protocols/index.ts';
import { encodeAll } from '../../src/protocols/encoder.ts';
import { conversationLog } from '../support/random-conversations.ts';
import { eventStream } from '../support/random-events.ts';
import { requestLog } from '../support/random-requests.ts';
import { readMessage, versions } from './ai-sdk-clients.ts';

const encode = (version: AiSdkVersion, events: readonly AgentEvent[]) => encodeAll(aiSdkEncoder({ version }), events);

/** The failures of a run reach a client as errors; nothing else may. */
const expectedErrors = (chunks: readonly AiSdkChunk[]) =>
  chunks.flatMap(chunk => (chunk.type === 'error' ? [chunk.errorText] : []));

interface Part {
  readonly type: string;
  readonly state?: string;
  readonly toolCallId?: string;
}

const finalStates = ['output-available', 'output-error', 'output-denied', 'done'];

describe.each(versions)('the real client of AI SDK %i', version => {
  it.each([
    ['every legal log of a request', requestLog()],
    ['a log of many turns', conversationLog()],
    ['whatever the events are', eventStream()],
  ])('accepts %s', async (_, logs: fc.Arbitrary<AgentEvent[]>) => {
    await fc.assert(
      fc.asyncProperty(logs, async events => {
        const chunks = encode(version, events);
        const { errors } = await readMessage(version, chunks);
        expect(errors).toEqual(expectedErrors(chunks));
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it('accepts keys that could change a prototype: they are left out', async () => {
    const hostile = JSON.parse(
      '{"a":[{"__proto__":1,"constructor":{"prototype":{}},"b":2}],"constructor":"c"}',
    ) as object;
    const events: AgentEvent[] = [
      { type: 'harness_start', runId: 'r', agentId: 'a' },
      { type: 'custom', runId: 'r', name: 'made', data: hostile },
      { type: 'harness_end', runId: 'r', agentId: 'a', reason: 'complete' },
    ];
    const { errors, message } = await readMessage(version, encode(version, events));
    expect(errors).toEqual([]);
    expect((message as { parts: unknown[] }).parts).toContainEqual(
      expect.objectContaining({ type: 'data-made', data: { a: [{ b: 2 }], constructor: 'c' } }),
    );
  });

  it('is left with nothing unfinished, and with unique tool calls', async () => {
    await fc.assert(
      fc.asyncProperty(requestLog(), async events => {
        const { message } = await readMessage(version, encode(version, events));
        const { parts } = message as { parts: readonly Part[] };
        const states = parts.flatMap(({ type, state }) => (type.startsWith('data-') ? [] : (state ?? [])));
        expect(states.filter(state => !finalStates.includes(state))).toEqual([]);
        const ids = parts.flatMap(({ toolCallId }) => toolCallId ?? []);
        expect(ids).toEqual([...new Set(ids)]);
      }),
      { numRuns: lawRuns(60) },
    );
  });
});

describe('the chunks', () => {
  it('are chunks of AI SDK 7 for the type checker too', () => {
    const asTyped = (chunk: AiSdkChunk): UIMessageChunk => chunk;
    expect(encode(7, []).map(asTyped)).toHaveLength(3);
  });
});
