import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Contender, type Setting, speech } from './harness-contender.ts';

type Listener = (event: { readonly type: string }) => void;
interface Memory {
  saveMessages(saved: { messages: readonly object[] }): Promise<unknown>;
}
type Made<Value> = new (options: object) => Value;

/** The class as it was up to 1.6x. */
interface OldHarness {
  init(): Promise<void>;
  selectOrCreateThread(): Promise<{ id: string; resourceId: string }>;
  sendMessage(said: { content: string }): Promise<void>;
  listMessages(): Promise<unknown[]>;
  cloneThread(): Promise<unknown>;
  subscribe(listener: Listener): () => void;
  subscribeDisplayState(listener: (state: unknown) => void): () => void;
  destroy(): Promise<void>;
}

/** What became of it: a controller whose sessions have the methods. */
interface Controller {
  init(): Promise<void>;
  createSession(options: object): Promise<Session>;
  destroy(): Promise<void>;
}
interface Session {
  readonly thread: {
    create(): Promise<{ id: string; resourceId: string }>;
    listActiveMessages(): Promise<unknown[]>;
    clone(): Promise<unknown>;
  };
  sendMessage(said: { content: string }): Promise<void>;
  subscribe(listener: Listener): () => void;
}

/** The harness of `@mastra/core` from a folder it is installed in. */
export async function mastra(folder: string, { words, file }: Setting): Promise<Contender> {
  const resolve = createRequire(join(folder, 'from.js'));
  const load = async <Module>(name: string) =>
    (await import(pathToFileURL(resolve.resolve(`@mastra/${name}`)).href)) as Module;
  const { Harness } = await load<{ Harness: Made<OldHarness | Controller> }>('core/harness');
  const { Agent } = await load<{ Agent: Made<object> }>('core/agent');
  const { storage, memory } = file === undefined ? await inMemory(load) : await onDisk(load, file);
  const agent = new Agent({ id: 'bench', name: 'bench', instructions: 'Speak.', model: speaker(words), memory });
  const modes = [{ id: 'main', name: 'Main', default: true, agent }];
  const harness = new Harness({ id: 'bench', storage, memory, modes, agent, initialState: { yolo: true } });
  await harness.init();
  const rest = { serialise: (event: object) => JSON.stringify(event), close: () => harness.destroy() };
  const filling = (thread: { id: string; resourceId: string }) => (count: number) => fill(memory, thread, count);
  if ('createSession' in harness) {
    const session = await harness.createSession({ resourceId: 'bench', ownerId: 'bench', id: 'bench' });
    const thread = await session.thread.create();
    return {
      ...rest,
      fill: filling(thread),
      send: content => session.sendMessage({ content }),
      list: async () => (await session.thread.listActiveMessages()).length,
      clone: () => session.thread.clone(),
      subscribe: listener => void session.subscribe(listener),
    };
  }
  const thread = await harness.selectOrCreateThread();
  return {
    ...rest,
    fill: filling(thread),
    send: content => harness.sendMessage({ content }),
    list: async () => (await harness.listMessages()).length,
    clone: () => harness.cloneThread(),
    subscribe: listener => void harness.subscribe(listener),
    subscribeDisplay: listener => void harness.subscribeDisplayState(listener),
  };
}

type Load = <Module>(name: string) => Promise<Module>;

async function inMemory(load: Load) {
  const { InMemoryStore } = await load<{ InMemoryStore: Made<object> }>('core/storage');
  const { MockMemory } = await load<{ MockMemory: Made<Memory> }>('core/memory');
  const storage = new InMemoryStore({ id: 'bench' });
  return { storage, memory: new MockMemory({ storage }) };
}

async function onDisk(load: Load, file: string) {
  const { LibSQLStore } = await load<{ LibSQLStore: Made<object> }>('libsql');
  const { Memory } = await load<{ Memory: Made<Memory> }>('memory');
  const storage = new LibSQLStore({ id: 'bench', url: `file:${file}` });
  return { storage, memory: new Memory({ storage }) };
}

async function fill(memory: Memory, thread: { id: string; resourceId: string }, count: number): Promise<void> {
  const start = Date.now() - count * 1000;
  const messages = Array.from({ length: count }, (_, at) => ({
    id: `message-${at}`,
    role: at % 2 === 0 ? 'user' : 'assistant',
    threadId: thread.id,
    resourceId: thread.resourceId,
    createdAt: new Date(start + at * 1000),
    type: 'text',
    content: { format: 2, parts: [{ type: 'text', text: `message ${at}` }] },
  }));
  for (let at = 0; at < count; at += 500) await memory.saveMessages({ messages: messages.slice(at, at + 500) });
}

/** A model that says this many words. */
function speaker(words: number) {
  const usage = { inputTokens: 1, outputTokens: words, totalTokens: words + 1 };
  return {
    specificationVersion: 'v2',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    doStream: async () => ({
      stream: speech(words, {
        first: { type: 'stream-start', warnings: [] },
        last: { type: 'finish', finishReason: 'stop', usage },
      }),
    }),
  };
}
