import { type Agent, loopAgent, type ModelSource } from 'singletree/agents';
import { getMessageDelta, Harness, type HarnessMessage } from 'singletree/control';
import type { AgentEvent } from 'singletree/events';
import { MemoryLog, SqliteLog } from 'singletree/log';
import { type Contender, type Setting, speech } from './harness-contender.ts';

/** Our harness. */
export async function ours({ words, file, joined = false }: Setting): Promise<Contender> {
  const log = file === undefined ? new MemoryLog() : new SqliteLog(file);
  const speaking = loopAgent({ id: 'bench', model: speaker(words), compaction: false });
  const agent = joined ? speaking : apart(speaking);
  const harness = new Harness({ id: 'bench', storage: log, modes: [{ id: 'main', agent }] });
  const { id } = await harness.createThread();
  return {
    fill: async count => {
      for (let at = 0; at < count / 2; at++) {
        const runId = `run-${at}`;
        await log.append(id, [
          { type: 'user', runId: `ask-${at}`, content: `question ${at}` },
          { type: 'harness_start', runId, agentId: 'bench', parentId: `ask-${at}:user` },
          { type: 'text', runId, id: 't', content: `answer ${at}` },
          { type: 'harness_end', runId, agentId: 'bench', reason: 'complete' },
        ]);
      }
      await harness.switchThread({ threadId: id });
    },
    send: content => harness.sendMessage({ content }),
    list: async () => (await harness.listMessages()).reduce((sum, { content }) => sum + Math.min(1, content.length), 0),
    clone: () => harness.cloneThread(),
    subscribe: listener => void harness.subscribe(listener),
    subscribeDisplay: listener => void harness.subscribeDisplayState(listener),
    serialise: event =>
      JSON.stringify('message' in event ? (getMessageDelta(event.message as HarnessMessage) ?? event) : event),
    close: () => harness.destroy(),
  };
}

/** A model that says this many words. */
function speaker(words: number): Exclude<ModelSource, string> {
  const outputTokens = { total: words, text: words, reasoning: undefined };
  const inputTokens = { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined };
  return {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    doStream: async () => ({
      stream: speech(words, {
        first: { type: 'stream-start', warnings: [] },
        last: { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens, outputTokens } },
      }),
    }),
  };
}

/** The same agent; no two of its texts are joined. */
function apart(agent: Agent): Agent {
  let count = 0;
  const marked = (next: IteratorResult<AgentEvent>) => {
    if (next.done !== true && next.value.type === 'text') next.value.callId = `${count++ % 2}`;
    return next;
  };
  return {
    id: agent.id,
    invoke: params => {
      const events = agent.invoke(params)[Symbol.asyncIterator]();
      return { [Symbol.asyncIterator]: () => ({ ...events, next: () => events.next().then(marked) }) };
    },
  };
}
