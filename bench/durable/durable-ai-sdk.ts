import { type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import * as z from 'zod';
import { doubling, type DurableContender, type DurableSetting, instructions } from './durable-contender.ts';
import { MessageRows } from './message-rows.ts';
import { scriptStream } from './scripted-stream.ts';

/** The AI SDK as its guides store chats: the messages of each step are inserted when it ends, and read for each turn. */
export async function aiSdk({ file, ...work }: DurableSetting): Promise<DurableContender> {
  const rows = new MessageRows<ModelMessage>(file);
  const model = scriptStream(work);
  const tools = {
    [doubling.name]: tool({
      description: doubling.description,
      inputSchema: z.object({ value: z.number() }),
      execute: doubling.double,
    }),
  };
  const answer = async (threadId: string) => {
    let stored = 0;
    const { fullStream } = streamText({
      model,
      tools,
      system: instructions,
      stopWhen: stepCountIs(work.calls + 2),
      messages: rows.list(threadId),
      onStepFinish: ({ response }) => {
        rows.add(threadId, response.messages.slice(stored));
        stored = response.messages.length;
      },
    });
    for await (const part of fullStream) if (part.type === 'error') throw part.error;
  };
  return {
    createThread: async () => crypto.randomUUID(),
    send: (threadId, content) => {
      rows.add(threadId, [{ role: 'user', content }]);
      return answer(threadId);
    },
    resume: answer,
    close: async () => rows.close(),
  };
}
