import { describe, expect, it } from 'vitest';
import { scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { Conversations } from './conversations.ts';

const echo = scriptedAgent('echo', async function* ({ event }) {
  yield event('text', { id: 't', content: 'Heard.' });
});

describe('the title of a conversation', () => {
  const begin = async () => {
    const log = new MemoryLog();
    const control = new Supervisor({ log, agents: [echo] });
    const conversations = new Conversations({ log, control, agents: { list: () => [echo], get: () => echo } });
    const { id } = await log.createThread();
    const settled = async (runId: string) => control.running().find(run => run.runId === runId)?.done;
    await settled((await conversations.send(id, { content: 'Plnat roses' })).runId);
    const [first] = (await log.read(id)).filter(({ type }) => type === 'user');
    const edit = async (content: string) =>
      settled((await conversations.edit(id, `${first?.runId}:user`, { content })).runId);
    return { log, id, conversations, edit, title: async () => (await log.getThread(id))?.title };
  };

  it('is that of its first message, also after an edit', async () => {
    const { edit, title } = await begin();
    expect(await title()).toBe('Plnat roses');
    await edit('Plant roses');
    expect(await title()).toBe('Plant roses');
  });

  it('stays what a person called it', async () => {
    const { id, conversations, edit, title } = await begin();
    await conversations.label(id, { title: 'Garden' });
    await edit('Plant roses');
    expect(await title()).toBe('Garden');
  });
});
