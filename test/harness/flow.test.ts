import { describe, expect, it } from 'vitest';
import { Harness } from '../../src/control/index.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { calls, echo, gate, linesOf, scene, sent, silentAfterOneWord, waitingTool, watch, yolo } from './scene.ts';

const asked = ['agent_start', 'message_start user', 'message_end user'];
const answered = ['message_start assistant', 'message_update assistant', 'usage_update'];
const completed = ['message_end assistant complete', 'agent_end complete'];

const failing = { parts: [{ text: 'So' }], finishReason: 'error' } as const;

describe('a message', () => {
  it('creates a thread when none is open, and is answered', async () => {
    const { harness, lines, model } = scene(['Hello!']);
    await harness.sendMessage({ content: 'Hi.' });
    expect(lines()).toEqual(['thread_created', ...asked, ...answered, ...completed]);
    expect(sent(model)).toEqual(['user: Hi.']);
    expect((await harness.listMessages()).map(({ role, content }) => ({ role, content }))).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello!' }] },
    ]);
    expect([harness.isRunning(), harness.isCurrentThreadStreamActive()]).toEqual([false, false]);
    expect(harness.getCurrentRunId()).toBe(null);
  });

  it('carries files', async () => {
    const { harness, model } = scene(['A cat.']);
    const file = { data: 'aGk=', mediaType: 'text/plain', filename: 'a.txt' };
    await harness.sendMessage({ content: 'What is it?', files: [file] });
    const [message] = await harness.listMessages();
    expect(message?.content).toEqual([
      { type: 'text', text: 'What is it?' },
      { type: 'file', ...file },
    ]);
    expect(model.requests).toHaveLength(1);
  });

  it('with a tool emits the call, its result and the usage of each step', async () => {
    const { harness, lines } = scene([[calls('echo', { value: 'a' })], 'Done.'], { tools: { echo }, ...yolo });
    await harness.sendMessage({ content: 'Go.' });
    expect(lines()).toEqual([
      'thread_created',
      ...asked,
      'tool_input_start echo',
      'tool_input_delta echo',
      'tool_input_end echo',
      'message_start assistant',
      'tool_start echo',
      'message_update assistant',
      'tool_end echo',
      'message_update assistant tool_use',
      'usage_update',
      'message_start assistant',
      'message_update assistant',
      'usage_update',
      ...completed,
    ]);
  });

  it('that cannot be answered emits the error, and stores it', async () => {
    const { harness, lines, of } = scene([{ httpStatus: 500, message: 'broken' }]);
    await harness.sendMessage({ content: 'Hi.' });
    const [error] = of('error');
    expect(error?.error.message).toContain('broken');
    expect(lines().at(-1)).toBe('agent_end error');
    expect((await harness.listMessages()).at(-1)).toMatchObject({
      stopReason: 'error',
      errorMessage: expect.stringContaining('broken') as string,
    });
  });

  it('during a run is injected at its next step', async () => {
    const { tool, begun, end } = waitingTool();
    const { harness, lines, model } = scene([[calls('wait')], 'Both.'], { tools: { wait: tool }, ...yolo });
    const first = harness.sendMessage({ content: 'One.' });
    await begun.opened;
    await harness.sendMessage({ content: 'Two.' });
    expect(harness.isRunning()).toBe(true);
    end.open();
    await first;
    expect(sent(model)).toEqual(['user: One.', 'assistant: ', 'tool: ', 'user: Two.']);
    const spoken = ['message_end assistant tool_use', 'message_start user', 'message_end user'];
    expect(lines().slice(-8)).toEqual([...spoken, ...answered, ...completed]);
    expect((await harness.listMessages()).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('sent twice at once is one run that receives both', async () => {
    const { harness, of, model } = scene(['Both.']);
    await Promise.all([harness.sendMessage({ content: 'One.' }), harness.sendMessage({ content: 'Two.' })]);
    await harness.listMessages();
    expect(of('agent_start')).toHaveLength(1);
    expect(sent(model)).toEqual(['user: One.Two.']);
  });

  it('that no run reads is the next message', async () => {
    const late = gate();
    const speaking = gate();
    const agent = scriptedAgent('deaf', async function* ({ event, until, params }) {
      yield event('text', { id: 't', content: `${params.conversation.messages.length}` });
      speaking.open();
      await until(late.opened);
    });
    const { harness, of, on } = watch(new Harness({ id: 'h', modes: [{ id: 'm', agent }] }));
    const first = harness.sendMessage({ content: 'One.' });
    await speaking.opened;
    await harness.steer({ content: 'Two.' });
    late.open();
    await first;
    await on('agent_end', 2);
    expect(of('agent_start')).toHaveLength(2);
    expect((await harness.listMessages()).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('is rejected when the agent of the mode cannot be created, and the harness is idle again', async () => {
    const agent = () => {
      throw new Error('no agent today');
    };
    const harness = new Harness({ id: 'h', modes: [{ id: 'm', agent }] });
    await expect(harness.sendMessage({ content: 'Hi.' })).rejects.toThrow('no agent today');
    expect(harness.isRunning()).toBe(false);
  });
});

describe('sendSignal', () => {
  it('resolves with the run that received the message', async () => {
    const { harness, on } = scene(['Hello!']);
    const { id, type, accepted } = harness.sendSignal({ content: 'Hi.' });
    const { runId } = await accepted;
    expect([typeof id, type, runId]).toEqual(['string', 'user-message', harness.getCurrentRunId()]);
    await on('agent_end');
  });

  it('may be a message with an id and files, or a reminder', async () => {
    const { harness, model, on } = scene(() => 'Hello!');
    const file = { type: 'file', data: 'aGk=', mediaType: 'text/plain', filename: 'a.txt' } as const;
    const message = harness.sendSignal({
      type: 'user-message',
      id: 'mine',
      contents: [{ type: 'text', text: 'See.' }, file],
    });
    expect([message.id, message.type]).toEqual(['mine', 'user-message']);
    await on('agent_end');
    const reminder = harness.sendSignal({
      type: 'system-reminder',
      contents: 'Be kind.',
      attributes: { type: 'tone', path: 'a.md' },
    });
    expect(reminder.type).toBe('system-reminder');
    await on('agent_end', 2);
    const ids = (await harness.listMessages()).flatMap(({ role, id }) => (role === 'user' ? id : []));
    expect(ids).toEqual(['mine', reminder.id]);
    expect((await harness.listMessages()).flatMap(({ role, content }) => (role === 'user' ? content : []))).toEqual([
      { type: 'text', text: 'See.' },
      file,
      { type: 'system_reminder', message: 'Be kind.', reminderType: 'tone', path: 'a.md' },
    ]);
    expect(model.requests).toHaveLength(2);
    expect(() => harness.sendSignal({ type: 'notification' as 'user', contents: 'x' })).toThrow(
      'Unknown signal type "notification"',
    );
  });

  it('during agent_end resolves with the next run', async () => {
    const { harness, on } = scene(() => 'Hello!');
    let second: Promise<{ runId: string }> | undefined;
    harness.subscribe(({ type }) => {
      if (type === 'agent_end') second ??= harness.sendSignal({ content: 'And?' }).accepted;
    });
    const first = await harness.sendSignal({ content: 'Hi.' }).accepted;
    await on('agent_end', 2);
    expect((await second)?.runId).not.toBe(first.runId);
  });
});

describe('runs', () => {
  it('have ids of the generator, as threads do', async () => {
    const ids = ['thread', 'run'];
    const { harness, on } = scene(['Hello!'], { idGenerator: () => ids.shift() ?? 'more' });
    const { runId } = await harness.sendSignal({ content: 'Hi.' }).accepted;
    await on('agent_end');
    expect([harness.getCurrentThreadId(), runId]).toEqual(['thread', 'run']);
    expect((await harness.listMessages()).at(-1)?.id).toBe('run');
  });

  it.each([
    ['in its thread', async () => {}],
    ['in a copy of it', (harness: Harness) => harness.cloneThread()],
  ])('with an id that was already used %s are rejected, and nothing is appended', async (_, go) => {
    const ids = ['thread', 'run'];
    const { harness, lines, model } = scene(['One.', 'Two.'], { idGenerator: () => ids.shift() ?? 'run' });
    await harness.sendMessage({ content: 'a' });
    ids.push('copy');
    await go(harness);
    ids.splice(0, 1, 'run', 'another');
    const before = [await harness.listMessages(), lines()];
    await expect(harness.sendMessage({ content: 'b' })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('"run" was already used') as string,
    });
    expect([await harness.listMessages(), lines()]).toEqual(before);
    await harness.sendMessage({ content: 'c' });
    expect(sent(model)).toEqual(['user: a', 'assistant: One.', 'user: c']);
    expect((await harness.listMessages()).at(-1)).toMatchObject({ id: 'another', content: [{ text: 'Two.' }] });
  });
});

describe('steer', () => {
  it('sends when nothing runs', async () => {
    const { harness, model } = scene(['Hello!']);
    await harness.steer({ content: 'Hi.' });
    expect(sent(model)).toEqual(['user: Hi.']);
  });
});

describe('a message that is sent during agent_end', () => {
  it.each(['complete', 'error'] as const)('starts the next turn: after %s', async reason => {
    const script = ({ index }: { index: number }) => (index === 0 && reason === 'error' ? failing : 'Done.');
    const { harness, model, of } = scene(script);
    let next: Promise<void> | undefined;
    harness.subscribe(event => {
      if (event.type === 'agent_end') next ??= harness.sendMessage({ content: 'More.' });
    });
    await harness.sendMessage({ content: 'Go.' });
    await next;
    expect(of('agent_end').map(event => event.reason)).toEqual([reason, 'complete']);
    expect(sent(model).at(-1)).toBe('user: More.');
  });
});

describe('followUp', () => {
  it('waits for the end of the run, and follow-ups are sent one after another', async () => {
    const { tool, begun, end } = waitingTool();
    const script = ({ step, index }: { step: number; index: number }) =>
      index === 0 && step === 0 ? [calls('wait')] : 'Done.';
    const { harness, of, on, model, lines } = scene(script, { tools: { wait: tool }, ...yolo });
    const first = harness.sendMessage({ content: 'One.' });
    await begun.opened;
    await harness.followUp({ content: 'Two.' });
    await harness.followUp({ content: 'Three.' });
    expect(of('follow_up_queued').map(({ count }) => count)).toEqual([1, 2]);
    expect(harness.getFollowUpCount()).toBe(2);
    end.open();
    await first;
    await on('agent_end', 3);
    expect(harness.getFollowUpCount()).toBe(0);
    const last = sent(model).filter(text => text.startsWith('user'));
    expect(last).toEqual(['user: One.', 'user: Two.', 'user: Three.']);
    expect(lines().filter(text => text.startsWith('agent_'))).toEqual(
      Array.from({ length: 3 }, () => ['agent_start', 'agent_end complete']).flat(),
    );
  });

  it('sends at once when nothing runs', async () => {
    const { harness, of } = scene(['Hello!']);
    await harness.followUp({ content: 'Hi.' });
    expect(of('follow_up_queued')).toEqual([]);
    expect(await harness.listMessages()).toHaveLength(2);
  });

  it('that fails to start emits an error', async () => {
    const { tool, begun, end } = waitingTool();
    const { harness, on } = scene([[calls('wait')], 'Done.'], { tools: { wait: tool }, ...yolo });
    const first = harness.sendMessage({ content: 'One.' });
    await begun.opened;
    await harness.followUp({ content: 'Two.' });
    end.open();
    await first;
    expect((await on('error')).error.message).toContain('needs turn 3');
  });
});

describe('abort', () => {
  it('keeps the text, and the turn is over', async () => {
    const { model: options, silent } = silentAfterOneWord();
    const { harness, lines } = scene([{ text: 'One two three', delayMs: 1 }], { model: options });
    const sending = harness.sendMessage({ content: 'Count.' });
    await silent.opened;
    harness.abort();
    await sending;
    expect(lines().slice(4)).toEqual([
      'message_start assistant',
      'message_update assistant',
      'message_end assistant aborted',
      'agent_end aborted',
    ]);
    expect((await harness.listMessages()).at(-1)).toMatchObject({
      stopReason: 'aborted',
      content: [{ type: 'text', text: expect.stringMatching(/^One/) as string }],
    });
  });

  it('reaches a run that is starting', async () => {
    const { harness, lines } = scene(['Hello!']);
    const sending = harness.sendMessage({ content: 'Hi.' });
    harness.abort();
    await sending;
    expect(lines().at(-1)).toBe('agent_end aborted');
  });

  it('sends queued input', async () => {
    const { tool, begun } = waitingTool();
    const script = ({ index }: { index: number }) => (index === 0 ? [calls('wait')] : 'Done.');
    const { harness, on, of } = scene(script, { tools: { wait: tool }, ...yolo });
    const sending = harness.sendMessage({ content: 'One.' });
    await begun.opened;
    await harness.followUp({ content: 'Two.' });
    harness.abort();
    await sending;
    await on('agent_end', 2);
    expect(of('agent_end').map(({ reason }) => reason)).toEqual(['aborted', 'complete']);
  });

  it('twice is once, and later input is answered after it', async () => {
    const { tool, begun } = waitingTool();
    const script = ({ index }: { index: number }) => (index === 0 ? [calls('wait')] : 'Done.');
    const { harness, of, model } = scene(script, { tools: { wait: tool }, ...yolo });
    const sending = harness.sendMessage({ content: 'One.' });
    await begun.opened;
    harness.abort();
    harness.abort();
    await harness.sendMessage({ content: 'Two.' });
    await sending;
    harness.abort();
    expect(of('error')).toEqual([]);
    expect(of('agent_end').map(({ reason }) => reason)).toEqual(['aborted', 'complete']);
    expect(sent(model).at(-1)).toBe('user: Two.');
  });

  it('does nothing when nothing runs', () => {
    const { harness, events } = scene([]);
    harness.abort();
    expect(linesOf(events)).toEqual([]);
  });
});
