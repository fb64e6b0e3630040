import { describe, expect, it } from 'vitest';
import { scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { coderAgent } from '../../agents/coder/coder-agent.ts';
import type { ScriptedRequest } from '../../agents/model/scripted/scripted-request.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { Conversations } from './conversations.ts';

type Script = (request: ScriptedRequest) => string;
/** The coding agent offers its tools; what names a conversation has none. */
const isTitleCall = ({ toolNames }: ScriptedRequest) => toolNames.length === 0;

/** Answers, and names the conversation after what the person wrote. */
const naming: Script = request =>
  isTitleCall(request) ? `"Title of ${/<person>\n(.*)\n/.exec(request.lastUserText)?.[1] ?? ''}."\n` : 'An answer.';

async function begin(script: Script, titles: 'model' | 'message' = 'model') {
  const log = new MemoryLog();
  const agent = coderAgent({ model: scriptedModel(script), cwd: '/', permissions: 'allow' });
  return conversationsOf(log, agent, titles);
}

async function conversationsOf(log: MemoryLog, agent: ReturnType<typeof scriptedAgent>, titles: 'model' | 'message') {
  const control = new Supervisor({ log, agents: [agent] });
  const conversations = new Conversations({ log, control, agents: { list: () => [agent], get: () => agent }, titles });
  conversations.deliver();
  const { id } = await log.createThread();
  const settle = async (runId: string) => {
    await control.running().find(run => run.runId === runId)?.done;
  };
  const title = async () => (await log.getThread(id))?.title;
  return {
    log,
    id,
    conversations,
    title,
    say: async (content: string) => settle((await conversations.send(id, { content })).runId),
    edit: async (content: string) => {
      const [first] = (await log.read(id)).filter(({ type }) => type === 'user');
      await settle((await conversations.edit(id, `${first?.runId}:user`, { content })).runId);
    },
  };
}

const until = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 5_000 });

describe('the title that a model makes', () => {
  it('takes the place of the first words after the first turn, once, and follows an edit of the first message', async () => {
    const { title, say, edit } = await begin(naming);
    await say('Plnat roses');
    await until(title).toBe('Title of Plnat roses');
    await say('And tulips');
    expect(await title()).toBe('Title of Plnat roses');
    await edit('Plant roses');
    await until(title).toBe('Title of Plant roses');
  });

  it('is a run of the log with its usage, beside the conversation', async () => {
    const { log, id, title, say } = await begin(naming);
    await say('Roses');
    await until(title).toBe('Title of Roses');
    const events = await log.read(id);
    const start = events.find(event => event.type === 'harness_start' && event.memory?.operation === 'title');
    expect(start).toMatchObject({ agentId: 'title' });
    await until(async () =>
      (await log.read(id)).some(event => event.type === 'harness_end' && event.runId === start?.runId),
    ).toBe(true);
    expect((await log.read(id)).filter(({ type }) => type === 'usage')).toHaveLength(2);
  });

  it('is not made when that is turned off, when the call fails, and when a person gave one', async () => {
    const off = await begin(naming, 'message');
    await off.say('Roses');
    const failing = await begin(request => {
      if (isTitleCall(request)) throw new Error('no quota');
      return naming(request);
    });
    await failing.say('Roses');
    const named = await begin(naming);
    await named.conversations.label(named.id, { title: 'Garden' });
    await named.say('Roses');
    await until(async () => (await failing.log.read(failing.id)).at(-1)).toMatchObject({
      agentId: 'title',
      reason: 'error',
    });
    expect([await off.title(), await failing.title(), await named.title()]).toEqual(['Roses', 'Roses', 'Garden']);
  });

  it('is what an external program calls its session, without a call', async () => {
    const program = scriptedAgent('program', async function* ({ event, params }) {
      yield { type: 'session', runId: params.run.runId, sessionId: 's', title: 'Roses in the garden' };
      yield event('text', { id: 't', content: 'Done.' });
    });
    const { say, title } = await conversationsOf(new MemoryLog(), program, 'model');
    await say('Roses');
    await until(title).toBe('Roses in the garden');
  });
});
