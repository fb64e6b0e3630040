import * as ai6 from 'ai';
import * as ai5 from 'ai5';
import * as ai7 from 'ai7';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { createConversation, defaultActive, reduceConversation } from '../../src/graph/index.ts';
import { projectThread } from '../../src/projections/index.ts';
import { aiSdkEncoder, type AiSdkVersion, type UiMessage, uiMessages } from '../../src/protocols/index.ts';
import { encodeAll } from '../../src/protocols/encoder.ts';
import { conversationLog } from '../support/random-conversations.ts';
import { eventStream } from '../support/random-events.ts';
import { requestLog } from '../support/random-requests.ts';
import { examples } from '../support/request-examples.ts';
import { readMessage, versions } from './ai-sdk-clients.ts';

const validate: Record<AiSdkVersion, (messages: unknown) => Promise<unknown>> = {
  5: messages => ai5.validateUIMessages({ messages }),
  6: messages => ai6.validateUIMessages({ messages }),
  7: messages => ai7.validateUIMessages({ messages }),
};

/** The messages of a thread as they go over the wire. */
function messagesOf(events: readonly AgentEvent[], version: AiSdkVersion): UiMessage[] {
  const conversation = events.reduce(reduceConversation, createConversation());
  const nodes = projectThread(conversation, { ...defaultActive(conversation), full: true });
  return JSON.parse(JSON.stringify(uiMessages(nodes, { version, threadId: 'th' }))) as UiMessage[];
}

type Part = Readonly<Record<string, unknown>>;

/** What a reload keeps of a part: no steps, no progress, no accounts, no attempts that were repeated. */
function kept(parts: readonly Part[]): Part[] {
  return parts.flatMap(({ id, ...part }) => {
    const { type, data } = part as { type: string; data?: Part };
    if (type === 'step-start' || type === 'data-tool-progress' || type.endsWith('-summary')) return [];
    if (type === 'text' || type === 'reasoning') return [part];
    if (type !== 'data-agent') return [{ id, ...part }];
    const { usage: _, ...agent } = data ?? {};
    return [{ id, ...part, data: agent }];
  });
}

describe('the UI messages of a thread', () => {
  it('have nothing of an observer, as the stream', async () => {
    const events: AgentEvent[] = [
      { type: 'user', runId: 'u', content: 'Go.' },
      { type: 'harness_start', runId: 'a', parentId: 'u:user', agentId: 'loop' },
      { type: 'text', runId: 'a', id: 'a/t', content: 'Hello.' },
      {
        type: 'harness_start',
        runId: 'o',
        parentId: 'a',
        agentId: 'observer',
        memory: { operation: 'observation', background: true, tokens: 100 },
      },
      { type: 'text', runId: 'o', id: 'o/t', content: 'Noted.' },
      { type: 'harness_end', runId: 'o', agentId: 'observer', reason: 'complete' },
      { type: 'harness_end', runId: 'a', agentId: 'loop', reason: 'complete' },
    ];
    for (const version of versions) {
      const { message } = await readMessage(version, encodeAll(aiSdkEncoder({ version, threadId: 'th' }), events));
      const [read] = messagesOf(events, version).filter(({ role }) => role === 'assistant');
      expect(read?.parts).toMatchObject([{ type: 'text', text: 'Hello.' }]);
      expect(kept(read?.parts ?? [])).toEqual(kept((message as UiMessage).parts));
    }
  });

  it.each([
    'text and reasoning',
    'a tool with progress',
    'a subagent',
    'an error in a subagent, then in the run',
    'a step that is repeated while its tool runs',
  ] as const)('are what a client made of the stream: %s', async name => {
    for (const version of versions) {
      const events = examples[name];
      const { message } = await readMessage(version, encodeAll(aiSdkEncoder({ version, threadId: 'th' }), events));
      const streamed = message as UiMessage;
      const [read] = messagesOf(events, version).filter(({ role }) => role === 'assistant');
      expect({ id: read?.id, role: read?.role }).toEqual({ id: streamed.id, role: streamed.role });
      expect(streamed.metadata).toMatchObject(read?.metadata ?? {});
      expect(kept(read?.parts ?? [])).toEqual(kept(streamed.parts));
    }
  });

  it('show each call and each plan as the stream does', async () => {
    const shown = (parts: readonly Part[]) =>
      parts.flatMap(({ type, toolCallId, state, output, errorText, id, data }): Part[] => {
        if (type === 'dynamic-tool') return [{ toolCallId, state, output, errorText }];
        return type === 'data-plan' || type === 'data-tasks' ? [{ id, data }] : [];
      });
    for (const version of versions)
      for (const name of ['tools that fail and are denied', 'approvals', 'a plan and a question'] as const) {
        const { message } = await readMessage(version, encodeAll(aiSdkEncoder({ version }), examples[name]));
        const [read] = messagesOf(examples[name], version).filter(({ role }) => role === 'assistant');
        const streamed = shown((message as UiMessage).parts);
        expect(shown(read?.parts ?? [])).toEqual(expect.arrayContaining(streamed));
        expect(shown(read?.parts ?? [])).toHaveLength(streamed.length);
      }
  });

  it('leave out an answer that is under way', () => {
    const open = examples['text and reasoning'].filter(({ type }) => type !== 'harness_end');
    expect(messagesOf(open, 7)).toEqual([]);
  });

  it('are accepted by the clients of every version, whatever happened', async () => {
    for (const version of versions)
      for (const events of Object.values(examples)) {
        const messages = messagesOf(events, version);
        if (messages.length > 0) expect(await validate[version](messages)).toHaveLength(messages.length);
      }
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(requestLog(), conversationLog(), eventStream()),
        fc.constantFrom(...versions),
        async (events, version) => {
          const messages = messagesOf(events, version);
          if (messages.length > 0) await validate[version](messages);
        },
      ),
      { numRuns: 60 },
    );
  });
});
