import { type Agent, loopAgent } from 'singletree/agents';
import { deltaOf, Harness, type HarnessMessage } from 'singletree/control';
import { MemoryLog, SqliteLog } from 'singletree/log';
import { scriptedModel } from 'singletree/testing';
import { type Contender, type Setting, word } from './harness-contender.ts';

/** Our harness. */
export async function ours({ words, file, joined = false }: Setting): Promise<Contender> {
  const log = file === undefined ? new MemoryLog() : new SqliteLog(file);
  const model = scriptedModel(() => ({ text: word.repeat(words), tokenSize: word.length }), { keepRequests: 0 });
  const speaking = loopAgent({ id: 'bench', model, compaction: false });
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
      JSON.stringify('message' in event ? (deltaOf(event.message as HarnessMessage) ?? event) : event),
    close: () => harness.destroy(),
  };
}

/** The same agent; no two of its texts are joined. */
function apart(agent: Agent): Agent {
  return {
    id: agent.id,
    async *invoke(params) {
      let count = 0;
      for await (const event of agent.invoke(params))
        yield event.type === 'text' ? Object.assign(event, { callId: `${count++ % 2}` }) : event;
    },
  };
}
