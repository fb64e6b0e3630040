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

type Message = { getType(): string };
type Made = new (fields: object) => object;

interface Graph {
  stream(input: object | null, options: object): Promise<AsyncIterable<unknown>>;
}

/** The parts of LangGraph that are used here. */
interface Packages {
  readonly prebuilt: { createReactAgent(options: object): Graph };
  readonly saver: { readonly SqliteSaver: { fromConnString(file: string): object } };
  readonly models: { readonly BaseChatModel: new (fields: object) => object };
  readonly messages: { readonly AIMessageChunk: Made };
  readonly outputs: { readonly ChatGenerationChunk: Made };
  readonly tools: { tool(run: (input: { value: number }) => number, options: object): object };
  readonly z: typeof zod;
}

/** LangGraph with its SQLite checkpointer, which stores a checkpoint of the state after each step. */
export async function langgraph({ folder, file, ...work }: DurableSetting): Promise<DurableContender> {
  const packages: Packages = {
    prebuilt: await loadPeer(folder, '@langchain/langgraph/prebuilt'),
    saver: await loadPeer(folder, '@langchain/langgraph-checkpoint-sqlite'),
    models: await loadPeer(folder, '@langchain/core/language_models/chat_models'),
    messages: await loadPeer(folder, '@langchain/core/messages'),
    outputs: await loadPeer(folder, '@langchain/core/outputs'),
    tools: await loadPeer(folder, '@langchain/core/tools'),
    z: await loadPeer(folder, 'zod'),
  };
  const { z } = packages;
  const { name, description } = doubling;
  const graph = packages.prebuilt.createReactAgent({
    llm: scriptModel(packages, work),
    prompt: instructions,
    tools: [packages.tools.tool(doubling.double, { name, description, schema: z.object({ value: z.number() }) })],
    checkpointSaver: packages.saver.SqliteSaver.fromConnString(file),
  });
  const answer = async (threadId: string, input: object | null) => {
    const configurable = { thread_id: threadId };
    const options = { configurable, streamMode: 'messages', recursionLimit: 2 * work.calls + 10 };
    for await (const _ of await graph.stream(input, options));
  };
  return {
    createThread: async () => crypto.randomUUID(),
    send: (threadId, content) => answer(threadId, { messages: [{ role: 'user', content }] }),
    resume: threadId => answer(threadId, null),
    close: async () => {},
  };
}

function scriptModel({ models, messages, outputs }: Packages, { calls, words, onModelCall }: ModelWork): object {
  const piece = (text: string, message: object) =>
    new outputs.ChatGenerationChunk({ text, message: new messages.AIMessageChunk(message) });
  class ScriptedModel extends models.BaseChatModel {
    _llmType(): string {
      return 'bench';
    }

    bindTools(): this {
      return this;
    }

    async _generate(): Promise<never> {
      throw new Error('The scripted model only streams.');
    }

    async *_streamResponseChunks(
      sent: readonly Message[],
      _options: object,
      manager?: { handleLLMNewToken(...args: unknown[]): Promise<void> },
    ) {
      const results = countResults(sent.map(message => message.getType().replace('human', 'user')));
      onModelCall?.(results);
      if (results < calls) {
        const id = `call_${results}_${Math.random().toString(36).slice(2)}`;
        const args = JSON.stringify({ value: results });
        yield piece('', { content: '', tool_call_chunks: [{ id, name: doubling.name, args, index: 0 }] });
        return;
      }
      for (const word of listWords(words)) {
        const chunk = piece(word, { content: word });
        yield chunk;
        await manager?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk });
      }
    }
  }
  return new ScriptedModel({});
}
