import type * as zod from 'zod';
import {
  countResults,
  doubling,
  type DurableContender,
  type DurableSetting,
  instructions,
  listWords,
  type ModelWork,
} from './durable-contender.ts';
import { loadPeer } from './load-peer.ts';
import { MessageRows } from './message-rows.ts';

type Item = { readonly type?: string; readonly role?: string };

/** The parts of `@openai/agents` that are used here. */
interface AgentsPackage {
  readonly Agent: new (options: object) => object;
  readonly tool: (options: object) => object;
  readonly run: (
    agent: object,
    input: string | Item[],
    options: object,
  ) => Promise<AsyncIterable<unknown> & { readonly completed: Promise<void> }>;
  readonly setTracingDisabled: (isDisabled: boolean) => void;
}

/** OpenAI Agents with a session in SQLite: the framework decides when it adds items to the session. */
export async function openaiAgents({ folder, file, ...work }: DurableSetting): Promise<DurableContender> {
  const { Agent, tool, run, setTracingDisabled } = await loadPeer<AgentsPackage>(folder, '@openai/agents');
  const z = await loadPeer<typeof zod>(folder, 'zod');
  setTracingDisabled(true);
  const rows = new MessageRows<Item>(file);
  const agent = new Agent({
    name: 'bench',
    instructions,
    model: scriptModel(work),
    tools: [
      tool({
        name: doubling.name,
        description: doubling.description,
        parameters: z.object({ value: z.number() }),
        execute: doubling.double,
      }),
    ],
  });
  const answer = async (threadId: string, input: string | Item[]) => {
    const session = storedSession(rows, threadId);
    const result = await run(agent, input, { session, stream: true, maxTurns: work.calls + 2 });
    for await (const _ of result);
    await result.completed;
  };
  return {
    createThread: async () => crypto.randomUUID(),
    send: answer,
    resume: threadId => answer(threadId, []),
    close: async () => rows.close(),
  };
}

function storedSession(rows: MessageRows<Item>, threadId: string): object {
  return {
    getSessionId: async () => threadId,
    getItems: async (limit?: number) => (limit === undefined ? rows.list(threadId) : rows.list(threadId).slice(-limit)),
    addItems: async (items: Item[]) => rows.add(threadId, items),
    popItem: () => Promise.reject(new Error('The comparison takes no item back.')),
    clearSession: () => Promise.reject(new Error('The comparison clears no session.')),
  };
}

function scriptModel({ calls, words, onModelCall }: ModelWork): object {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  return {
    getResponse: () => Promise.reject(new Error('The scripted model only streams.')),
    async *getStreamedResponse({ input }: { input: string | Item[] }) {
      const roles = typeof input === 'string' ? ['user'] : input.map(({ type, role }) => role ?? type);
      const results = countResults(roles, 'function_call_result');
      onModelCall?.(results);
      yield { type: 'response_started' };
      if (results < calls) {
        const callId = `call_${results}_${Math.random().toString(36).slice(2)}`;
        const called = { type: 'function_call', callId, name: doubling.name, status: 'completed' };
        const output = [{ ...called, arguments: JSON.stringify({ value: results }) }];
        yield { type: 'response_done', response: { id: callId, usage, output } };
        return;
      }
      const list = listWords(words);
      for (const delta of list) yield { type: 'output_text_delta', delta };
      const content = [{ type: 'output_text', text: list.join('') }];
      const output = [{ type: 'message', role: 'assistant', status: 'completed', content }];
      yield { type: 'response_done', response: { id: 'done', usage, output } };
    },
  };
}
