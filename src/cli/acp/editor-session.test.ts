import { afterEach, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../../../test/support/scripted-agent.ts';
import type { Diagnostic } from '../../base/diagnostics.ts';
import { Conversations } from '../../control/conversations/conversations.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import type { AgentContext } from '@agentclientprotocol/sdk';
import { EditorSession } from './editor-session.ts';

const forever = scriptedAgent('forever', async function* ({ event, until }) {
  yield event('text', { id: 't', content: 'One, ' });
  await until(new Promise(() => {}));
});
const unavailable = () => new SingletreeError('internal', 'The disk is full.');

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A thread with a run that was asked for, and a prompt that waits for its end. */
async function openSession() {
  const log = new MemoryLog();
  const control = new Supervisor({ log, agents: [forever] });
  const agents = { list: () => [forever], get: () => forever };
  const conversations = new Conversations({ log, control, agents });
  const { id } = await log.createThread();
  const diagnostics: Diagnostic[] = [];
  const session = new EditorSession(id, {
    log,
    conversations,
    client: { notify: async () => {} } as unknown as AgentContext,
    editor: 'Test',
    hasForms: false,
    hasNotices: false,
    cwd: '/',
    onDiagnostic: diagnostic => void diagnostics.push(diagnostic),
    contextWindow: () => undefined,
    settingsChanged: async () => {},
  });
  closers.push(
    () => control.close(),
    async () => session.close(),
  );
  const ask = (text: string) => session.prompt(text, { agent: 'forever', signal: new AbortController().signal });
  void ask('first');
  await expect.poll(() => control.running().length).toBe(1);
  void ask('second');
  const waiting = async () => conversations.queue(await conversations.find(id));
  await expect.poll(async () => (await waiting()).length).toBe(1);
  return { id, log, control, session, diagnostics };
}

describe('a cancelled session of an editor', () => {
  it('reports that a waiting prompt was not withdrawn, and aborts what runs all the same', async () => {
    const { id: threadId, log, control, session, diagnostics } = await openSession();
    const append = log.append.bind(log);
    log.append = async (id, events, options) => {
      if (events.some(({ type }) => type === 'message_withdrawn')) throw unavailable();
      return append(id, events, options);
    };
    await session.requestCancel();
    expect(diagnostics).toEqual([{ code: 'withdraw_failed', threadId, cause: unavailable() }]);
    expect(control.running()).toEqual([]);
  });

  it('reports that its log cannot be read', async () => {
    const { id: threadId, log, session, diagnostics } = await openSession();
    const getThread = log.getThread.bind(log);
    log.getThread = async () => {
      throw unavailable();
    };
    await session.requestCancel();
    log.getThread = getThread;
    expect(diagnostics).toEqual([{ code: 'cancel_failed', threadId, cause: unavailable() }]);
  });
});
