import type * as zod from 'zod';
import { doubling, type DurableContender, type DurableSetting, instructions } from './durable-contender.ts';
import { loadPeer } from './load-peer.ts';
import { scriptStream } from './scripted-stream.ts';

type Made<Value = object> = new (options: object) => Value;

interface MastraAgent {
  stream(content: string | [], options: object): Promise<{ readonly fullStream: AsyncIterable<{ type: string }> }>;
}

/** Mastra with its memory in LibSQL: the whole conversation is sent, messages are saved after each step. */
export async function mastra({ folder, file, ...work }: DurableSetting): Promise<DurableContender> {
  const { Agent } = await loadPeer<{ Agent: Made<MastraAgent> }>(folder, '@mastra/core/agent');
  const { createTool } = await loadPeer<{ createTool: (options: object) => object }>(folder, '@mastra/core/tools');
  const { LibSQLStore } = await loadPeer<{ LibSQLStore: Made }>(folder, '@mastra/libsql');
  const { Memory } = await loadPeer<{ Memory: Made }>(folder, '@mastra/memory');
  const z = await loadPeer<typeof zod>(folder, 'zod');
  const storage = new LibSQLStore({ id: 'bench', url: `file:${file}` });
  const { name: id, description } = doubling;
  const double = createTool({
    id,
    description,
    inputSchema: z.object({ value: z.number() }),
    execute: async (input: { value: number }) => doubling.double(input),
  });
  const agent = new Agent({
    id: 'bench',
    name: 'bench',
    instructions,
    model: scriptStream(work),
    tools: { [id]: double },
    memory: new Memory({ storage, options: { lastMessages: 100_000 } }),
  });
  const answer = async (thread: string, content: string | []) => {
    const options = { memory: { thread, resource: 'bench' }, maxSteps: work.calls + 2, savePerStep: true };
    const { fullStream } = await agent.stream(content, options);
    for await (const part of fullStream) if (part.type === 'error') throw new Error(JSON.stringify(part));
  };
  return {
    createThread: async () => crypto.randomUUID(),
    send: answer,
    resume: thread => answer(thread, []),
    close: async () => {},
  };
}
