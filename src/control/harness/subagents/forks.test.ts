import { afterEach, describe, expect, it } from 'vitest';
import { callTool } from '../../../../test/support/call-tool.ts';
import { scriptedAgent } from '../../../../test/support/scripted-agent.ts';
import { createModelRegistry } from '../../../agents/model/registry/registry.ts';
import { MemoryLog } from '../../../log/memory-log.ts';
import { ThreadMemory } from '../../threads/thread-memory.ts';
import { RequestContext } from '../tools/request-context.ts';
import { subagentTool } from '../tools/subagent-tool.ts';
import { type ForkRequest, Forks } from './forks.ts';

const log = new MemoryLog();
const subagent = { id: 'collaborator', name: 'Collaborator', description: 'helps', instructions: '', forked: true };
const agent = scriptedAgent('main', async function* ({ event, params }) {
  yield event('text', { id: `${params.run.runId}/t`, content: JSON.stringify(params.conversation.messages) });
});
let ids = 0;
let forks: Forks | undefined;
afterEach(() => forks?.close());

function forksWith(flush: (threadId: string) => Promise<void>): Forks {
  forks = new Forks({ log, memory: new ThreadMemory(log), newOwnId: () => `own-${++ids}`, flush });
  return forks;
}

function request(threadId: string): ForkRequest {
  return {
    origin: { threadId, runId: 'run', toolCallId: 'call' },
    parent: { agent, modelId: '', tasks: [], prepare: () => ({ run: {}, host: {} }), takeFork: view => view },
    subagent,
    task: 'Try it.',
    signal: new AbortController().signal,
    isRepeated: false,
  };
}

async function startedThread(): Promise<string> {
  const { id } = await log.createThread();
  await log.append(id, [
    { type: 'user', runId: 'asked', content: 'Go.' },
    { type: 'harness_start', runId: 'run', agentId: 'main', parentId: 'asked:user' },
    { type: 'text', runId: 'run', id: 't', content: 'I ' },
  ]);
  return id;
}

describe('a fork', () => {
  it('is made after pending writes of the parent are stored', async () => {
    const id = await startedThread();
    const flush = async () =>
      void (await log.append(id, [{ type: 'text', runId: 'run', id: 't', content: 'will fork.' }]));
    const { text } = await forksWith(flush).run(request(id));
    expect(text).toContain('I will fork.');
    expect(text).toContain('Try it.');
  });

  it('is made of what is stored when pending writes cannot be', async () => {
    const id = await startedThread();
    const { text, reason } = await forksWith(() => Promise.reject(new Error('disk full'))).run(request(id));
    expect([text.includes('"I "'), reason]).toEqual([true, 'complete']);
  });

  it('returns an error that the model can read when its parent has no thread', async () => {
    const running = forksWith(async () => {});
    const tool = subagentTool({
      subagents: [subagent],
      requestContext: new RequestContext(),
      shared: [],
      workspaceTools: [],
      modelOf: () => '',
      registry: () => createModelRegistry(),
      fork: () => running.run(request('missing')),
    });
    expect(await callTool([tool], ['subagent', { agentType: 'collaborator', task: 'Try it.' }])).toMatchObject({
      result: { isError: true, content: expect.stringContaining('needs the thread of its parent') as string },
    });
  });

  it('is not started by a call that was aborted before', async () => {
    const id = await startedThread();
    const before = (await log.listThreads()).length;
    const aborted = { ...request(id), signal: AbortSignal.abort(new Error('stop')) };
    await expect(forksWith(async () => {}).run(aborted)).rejects.toThrow('stop');
    expect(await log.listThreads()).toHaveLength(before);
  });
});
