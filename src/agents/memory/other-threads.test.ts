import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  eventsOf,
  memoryScene,
  type MemoryThread,
  observersEnded,
  say,
  smallLimits,
} from '../../../test/support/memory-scene.ts';
import { requestHashes } from '../../../test/support/request-hashes.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import type { NewThread } from '../../log/event-log.ts';
import { projectMessages } from '../../projections/model-input/project-messages.ts';
import { activeUpTo } from '../../graph/conversation/active.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { defineTool } from '../loop/tool.ts';
import { toPrompt } from '../model/call/prompt.ts';
import { countTokens } from '../model/tokens/tokens.ts';
import type { SummaryEvent, ThreadObservations } from '../contract/memory.ts';
import { Memory } from './memory.ts';
import { otherThreadsMessage } from './other-threads.ts';

const shared = { ...smallLimits, scope: 'resource' as const };

/** Threads of one process and one agent. */
function threads(scene: ReturnType<typeof memoryScene>) {
  const log = new MemoryLog();
  const supervisor = new Supervisor({ log });
  const create = async (thread: NewThread = { resourceId: 'ada' }): Promise<MemoryThread> => {
    const { id: threadId } = await log.createThread(thread);
    return { log, supervisor, threadId };
  };
  /** Talks about topics until some of them are observed. */
  const talk = async (thread: MemoryThread, from: number, to: number) => {
    for (let topic = from; topic <= to; topic++) {
      expect(await say(thread, scene.agent, `Tell me of topic-${topic}.`)).toBe('complete');
      await observersEnded(thread);
    }
  };
  return { log, supervisor, create, talk };
}

function gate() {
  let open: () => void = () => {};
  const isOpen = new Promise<void>(resolve => (open = resolve));
  return { open, isOpen };
}

const textOf = (prompt: unknown) => JSON.stringify(prompt);

describe('observations of other threads', () => {
  it('of the same resource come first in a request, marked', async () => {
    const scene = memoryScene({ memory: shared });
    const { log, supervisor, create, talk } = threads(scene);
    const [first, second, stranger] = [await create(), await create(), await create({ resourceId: 'bob' })];
    await talk(first, 1, 10);
    await talk(second, 11, 11);
    const prompt = scene.prompts.at(-1) ?? [];
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(textOf(prompt[1])).toMatch(
      new RegExp(
        `Observations of other conversations.*Conversation ${first.threadId} .*User spoke of topic-1 .*Tell me of topic-11`,
      ),
    );
    const { stated, fromEvents } = requestHashes(await log.read(second.threadId));
    expect(fromEvents).toEqual(stated);
    await talk(stranger, 12, 12);
    expect(textOf(scene.prompts.at(-1))).not.toContain('topic-1 ');
    await supervisor.close();
  });

  it('are not sent by default', async () => {
    const scene = memoryScene();
    const { supervisor, create, talk } = threads(scene);
    await talk(await create(), 1, 10);
    await talk(await create(), 11, 11);
    expect(textOf(scene.prompts.at(-1))).not.toContain('User spoke of');
    await supervisor.close();
  });

  it('stay the same during a run, before the observations of its own thread', async () => {
    let read = 0;
    let talkElsewhere = async () => {};
    const page = defineTool({
      name: 'page',
      description: 'reads a page',
      input: z.object({ number: z.number() }),
      execute: async ({ number }) => {
        if (number === 103) await talkElsewhere();
        return `topic-${number} is on this page. ${'lorem '.repeat(60)}`;
      },
    });
    const scene = memoryScene({
      memory: shared,
      agent: { tools: [page] },
      answer: ({ lastUserText }) =>
        /Tell me of topic-\d+\.$/.test(lastUserText)
          ? `More. ${'word '.repeat(60)}`
          : read < 12
            ? [{ toolCall: { name: 'page', input: { number: 100 + read++ } } }]
            : 'Read.',
    });
    const { supervisor, create, talk } = threads(scene);
    const [first, second] = [await create(), await create()];
    await talk(first, 1, 10);
    const before = scene.prompts.length;
    talkElsewhere = () => talk(first, 50, 60);
    expect(await say(second, scene.agent, 'Read all pages')).toBe('complete');
    const own = scene.prompts
      .slice(before)
      .map(textOf)
      .filter(text => text.includes('Observations of other'));
    expect(own).toHaveLength(13);
    const others = (text: string) => /^.*?Observations of other[^"]*/.exec(text)?.[0];
    expect(new Set(own.map(others)).size).toBe(1);
    expect(own[0]).toContain('topic-1 ');
    expect(own.at(-1)).toMatch(/Observations of other.*Observations of the conversation so far.*topic-100/);
    expect(own.join('')).not.toContain('topic-50');
    expect(await say(second, scene.agent, 'Tell me of topic-70.')).toBe('complete');
    expect(textOf(scene.prompts.at(-1))).toContain('topic-50');
    await supervisor.close();
  });

  it('are those of the time of the message, also when another process resumes the run', async () => {
    const reached = gate();
    let isResumed = false;
    const wait = defineTool({
      name: 'wait',
      description: 'waits until the run is resumed',
      input: z.object({}),
      execute: () => {
        reached.open();
        return isResumed ? 'waited' : new Promise<string>(() => {});
      },
      repeatable: true,
    });
    const scene = memoryScene({
      memory: shared,
      agent: { tools: [wait] },
      answer: ({ lastUserText, step }) =>
        lastUserText.endsWith('Wait') && step === 0
          ? [{ toolCall: { name: 'wait', input: {} } }]
          : `More. ${'word '.repeat(60)}`,
    });
    const { log, supervisor, create, talk } = threads(scene);
    const [first, second] = [await create(), await create()];
    await talk(first, 1, 10);
    await supervisor.start(second.threadId, { agent: scene.agent, content: 'Wait' });
    await reached.isOpen;
    const [before] = scene.prompts.slice(-1);
    await talk(first, 50, 60);
    await supervisor.close();
    isResumed = true;
    const next = new Supervisor({ log, agents: [scene.agent] });
    const { here } = await next.takeOver(second.threadId);
    for (const run of here) expect(await run.done).toBe('complete');
    const after = scene.prompts.at(-1) ?? [];
    expect(textOf(before)).toContain('topic-1 ');
    expect(textOf(after.slice(0, before?.length))).toBe(textOf(before));
    expect(after.length).toBeGreaterThan(before?.length ?? 0);
    await next.close();
  });

  it('are counted neither as messages nor as observations of the thread, and are not observed', async () => {
    const scene = memoryScene({ memory: shared });
    const { log, supervisor, create, talk } = threads(scene);
    const [first, second] = [await create(), await create()];
    await talk(first, 1, 10);
    const observed = scene.observed.length;
    await talk(second, 11, 20);
    const asked = scene.observed
      .slice(observed)
      .map(({ lastUserText }) => lastUserText)
      .join(' ');
    expect(asked).not.toMatch(/topic-1\b/);
    const events = await log.read(second.threadId);
    const conversation = events.reduce(reduceConversation, createConversation());
    const last = eventsOf(events, 'user').at(-1);
    const sent = toPrompt(projectMessages(conversation, activeUpTo(conversation, `${last?.runId}:user`)), undefined);
    expect(textOf(scene.prompts.at(-1)?.slice(2))).toBe(textOf(sent.slice(1)));
    await supervisor.close();
  });

  it('are left out when a clone shares them, and of forks and imported threads', async () => {
    const scene = memoryScene({ memory: shared });
    const { log, supervisor, create, talk } = threads(scene);
    const first = await create();
    await talk(first, 1, 10);
    const { seq = 0 } = (await log.getThread(first.threadId)) ?? {};
    const clone = await log.branch(first.threadId, seq, { resourceId: 'ada' });
    await talk({ ...first, threadId: clone.id }, 11, 11);
    expect(textOf(scene.prompts.at(-1))).not.toContain('Observations of other');
    await log.deleteThread(first.threadId);
    await log.deleteThread(clone.id);
    await talk(await create({ resourceId: 'ada', metadata: { forkedSubagent: true } }), 1, 10);
    await talk(await create({ resourceId: 'ada', imported: true }), 1, 10);
    await talk(await create(), 12, 12);
    expect(textOf(scene.prompts.at(-1))).not.toContain('Observations of other');
    await supervisor.close();
  });

  it('that cannot be read are a warning, and the run continues without them', async () => {
    const scene = memoryScene({ memory: shared });
    const { log, supervisor, create } = threads(scene);
    const thread = await create();
    log.listThreads = () => Promise.reject(new Error('The disk is gone.'));
    expect(await say(thread, scene.agent, 'Tell me of topic-1.')).toBe('complete');
    const warnings = eventsOf(await log.read(thread.threadId), 'warning');
    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      ['memory_failed', 'The memory was not used: The disk is gone.'],
    ]);
    await supervisor.close();
  });

  it('have at most as many tokens as a thread may have of its own, those of the newest threads', async () => {
    const thread = (number: number): ThreadObservations => ({
      threadId: `t${number}`,
      createdAt: `2026-01-0${number}T00:00:00.000Z`,
      observations: [1, 2].map(part => summary(`* part ${part} of ${number}. ${'word '.repeat(50)}`)),
    });
    const message = await otherThreadsMessage([thread(3), thread(2), thread(1)], 250);
    expect(message && (await countTokens([message]))).toBeLessThanOrEqual(250);
    const content = JSON.stringify(message);
    expect(content.match(/part \d of \d/g)).toEqual(['part 2 of 2', 'part 1 of 3', 'part 2 of 3']);
    expect(await otherThreadsMessage([thread(1)], 20)).toBeUndefined();
    expect(await otherThreadsMessage([], 1_000)).toBeUndefined();
  });

  it('need a scope that exists', () => {
    expect(() => new Memory({ scope: 'world' as 'thread' })).toThrow(/scope/);
    expect(new Memory({ scope: 'resource' }).with({}).scope).toBe('resource');
  });
});

function summary(text: string): SummaryEvent {
  return { type: 'summary', runId: 'r', id: text, covers: { from: 'a', to: 'b' }, kind: 'observation', text };
}
