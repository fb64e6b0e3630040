import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import {
  eventsOf,
  type MemoryThread,
  memoryScene,
  newMemoryThread,
  observersEnded,
  reflect,
  say,
  smallLimits,
} from '../../../test/support/memory-scene.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import { activeUpTo } from '../../graph/conversation/active.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { projectMessages } from '../../projections/model-input/project-messages.ts';
import { toPrompt } from '../model/call/prompt.ts';

const observationsOf = (prompt: LanguageModelV3Prompt | undefined) =>
  (prompt ?? []).flatMap(message =>
    message.role === 'user'
      ? message.content.flatMap(part => (part.type === 'text' && part.text.includes('Date: 2026') ? [part.text] : []))
      : [],
  );
const topics = (text: string) => [...new Set(text.match(/topic-\d+/g))];

describe('observational memory', () => {
  it('replaces older messages by observations; the source stays in the log', async () => {
    const thread = await newMemoryThread();
    const { agent, prompts, observed } = memoryScene();
    for (let turn = 1; turn <= 12; turn++) {
      expect(await say(thread, agent, `Tell me of topic-${turn}.`)).toBe('complete');
      await observersEnded(thread);
    }
    const events = await thread.log.read(thread.threadId);
    expect(checkOrder(events)).toEqual([]);
    expect(observed.length).toBeGreaterThan(3);
    const last = JSON.stringify(prompts.at(-1));
    expect(topics(last)).toContain('topic-1');
    expect(last).not.toContain('Tell me of topic-1.');
    expect(last).toContain('Tell me of topic-12.');
    expect(last).toContain('Current task: Talk about topic-');
    expect(eventsOf(events, 'user')).toHaveLength(12);
  });

  it('begins every request with the observations of the one before', async () => {
    const thread = await newMemoryThread();
    const { agent, prompts } = memoryScene();
    for (let turn = 1; turn <= 20; turn++) {
      await say(thread, agent, `Tell me of topic-${turn}.`);
      await observersEnded(thread);
    }
    let grown = 0;
    for (const [index, prompt] of prompts.entries()) {
      const [before, now] = [observationsOf(prompts[index - 1]), observationsOf(prompt)];
      expect(now.slice(0, before.length)).toEqual(before);
      if (now.length > before.length) grown++;
    }
    expect(grown).toBeGreaterThan(1);
  });

  it('sends what the log yields', async () => {
    const thread = await newMemoryThread();
    const { agent, prompts } = memoryScene();
    for (let turn = 1; turn <= 15; turn++) {
      await say(thread, agent, `Tell me of topic-${turn}.`);
      await observersEnded(thread);
    }
    await expectRequestsOfLog(thread, prompts);
  });

  it('keeps the requests of one run with hundreds of tool calls short, each call with its result', async () => {
    const thread = await newMemoryThread();
    const { agent, prompts } = memoryScene({
      answer: ({ index }) =>
        index < 150 ? [{ toolCall: { id: `c${index}`, name: 'page', input: { number: index } } }] : 'All read.',
      agent: { maxIterations: 1_000 },
    });
    expect(await say(thread, agent, 'Read all pages of topic-0.')).toBe('complete');
    expect(prompts).toHaveLength(151);
    const raw = prompts.map(prompt => prompt.filter(({ role }) => role !== 'system' && role !== 'user'));
    expect(Math.max(...raw.map(({ length }) => length))).toBeLessThan(30);
    for (const prompt of prompts) {
      const parts = prompt.flatMap(({ content }): { type: string; toolCallId?: string }[] =>
        typeof content === 'string' ? [] : content,
      );
      const calls = parts.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : []));
      const results = parts.flatMap(part => (part.type === 'tool-result' ? [part.toolCallId] : []));
      expect(results).toEqual(calls);
    }
    const last = JSON.stringify(prompts.at(-1));
    expect(last).toContain('User spoke of topic-0');
    expect(last.match(/topic-75\b/g)?.length).toBeGreaterThan(0);
    await observersEnded(thread);
    await expectRequestsOfLog(thread, prompts);
  });

  it('condenses observations, asking more strongly while the result is not shorter', async () => {
    const thread = await newMemoryThread();
    const limits = { observation: smallLimits.observation, reflection: { threshold: 400 } };
    const { agent, prompts, reflected } = memoryScene({
      memory: limits,
      reflector: (request, count) =>
        count === 1 ? `<observations>${'long '.repeat(2_000)}</observations>` : reflect(request),
    });
    for (let turn = 1; turn <= 60; turn++) {
      await say(thread, agent, `Tell me of topic-${turn}.`);
      await observersEnded(thread);
    }
    expect(reflected.length).toBeGreaterThan(1);
    expect(reflected[1]?.lastUserText).toContain('not shorter');
    const events = await thread.log.read(thread.threadId);
    const active = eventsOf(events, 'summary').filter(summary => summary.active !== false);
    expect(active.filter(({ kind }) => kind === 'reflection').length).toBeGreaterThan(0);
    expect(JSON.stringify(prompts.at(-1))).toMatch(/All of topic-1 topic-2 /);
    let changed = 0;
    for (const [index, prompt] of prompts.entries()) {
      const [before, now] = [observationsOf(prompts[index - 1]), observationsOf(prompt)];
      if (now.slice(0, before.length).join() !== before.join()) changed++;
    }
    expect(changed).toBe(active.filter(({ kind }) => kind === 'reflection').length);
    await expectRequestsOfLog(thread, prompts);
  });

  it('leaves out observations of what an edit replaced', async () => {
    const thread = await newMemoryThread();
    const { agent, prompts } = memoryScene();
    for (let turn = 1; turn <= 10; turn++) {
      await say(thread, agent, `Tell me of topic-${turn}.`);
      await observersEnded(thread);
    }
    const [, second] = eventsOf(await thread.log.read(thread.threadId), 'user');
    const edits = `${second?.runId}:user`;
    const run = await thread.supervisor.start(thread.threadId, { agent, content: 'Rather of topic-99.', edits });
    expect(await run.done).toBe('complete');
    const sent = JSON.stringify(prompts.at(-1));
    expect(sent).not.toContain('Observations');
    expect(sent).toContain('Tell me of topic-1.');
    expect(sent).toContain('Rather of topic-99.');
    expect(sent).not.toContain('topic-2');
  });

  it('uses on another branch what was observed before the branches part', async () => {
    const thread = await newMemoryThread();
    const { agent, prompts, observed } = memoryScene();
    for (let turn = 1; turn <= 10; turn++) {
      await say(thread, agent, `Tell me of topic-${turn}.`);
      await observersEnded(thread);
    }
    const users = eventsOf(await thread.log.read(thread.threadId), 'user');
    const edits = `${users[5]?.runId}:user`;
    const before = observed.length;
    await (await thread.supervisor.start(thread.threadId, { agent, content: 'Rather of topic-66.', edits })).done;
    await observersEnded(thread);
    for (let turn = 70; turn <= 75; turn++) {
      await say(thread, agent, `Tell me of topic-${turn}.`);
      await observersEnded(thread);
    }
    const sent = JSON.stringify(prompts.at(-1));
    expect(sent).toContain('User spoke of topic-1');
    expect(sent).not.toContain('Tell me of topic-1.');
    expect(sent).not.toContain('topic-8');
    const again = observed.slice(before).map(({ lastUserText }) => lastUserText.split('Messages to observe:').at(-1));
    expect(again.join('\n')).not.toContain('Tell me of topic-1.');
  });

  it('is replaced by compaction when nothing runs the observer', async () => {
    const { agent, observed } = memoryScene({
      answer: ({ index, lastUserText }) => {
        if (lastUserText.startsWith('Summarise')) return 'short';
        return index < 12 ? [{ toolCall: { id: `c${index}`, name: 'page', input: { number: index } } }] : 'All read.';
      },
      agent: { compaction: { threshold: 500, keep: 100 } },
    });
    const events: AgentEvent[] = [];
    const messages = [{ role: 'user' as const, content: 'Read all pages.' }];
    const { signal } = new AbortController();
    for await (const event of agent.invoke({ run: { runId: 'run', signal }, conversation: { messages } }))
      events.push(event);
    expect(eventsOf(events, 'summary').map(({ kind }) => kind)).toContain('compaction');
    expect(observed).toEqual([]);
  });

  it('resumes in another process with what the log yields', async () => {
    const thread = await newMemoryThread();
    const scene = () =>
      memoryScene({
        answer: ({ toolResults }) => [{ toolCall: { name: 'page', input: { number: toolResults.length } } }],
        agent: { maxIterations: 40 },
      });
    const first = scene();
    await thread.supervisor.start(thread.threadId, { agent: first.agent, content: 'Read all pages of topic-0.' });
    for await (const event of thread.log.tail(thread.threadId))
      if (event.type === 'summary' && event.active !== false) break;
    await thread.supervisor.close();
    const second = scene();
    const [resumed] = await new Supervisor({ log: thread.log, agents: [second.agent] }).recover();
    expect(await resumed?.done).toBe('max_iterations');
    expect(JSON.stringify(second.prompts[0])).toContain('Observations of the conversation');
    await observersEnded(thread);
    const events = await thread.log.read(thread.threadId);
    expect(checkOrder(events)).toEqual([]);
    const covered = eventsOf(events, 'summary').flatMap(({ activates = [] }) => activates);
    expect(new Set(covered).size).toBe(covered.length);
  });
});

/** Compares every request with what the log yields before it. */
async function expectRequestsOfLog({ log, threadId }: MemoryThread, prompts: readonly LanguageModelV3Prompt[]) {
  const events = await log.read(threadId);
  const served = events.filter(event => event.type === 'step_start' && isServed(events, event.runId));
  let conversation = createConversation();
  let at = 0;
  for (const [index, start] of served.entries()) {
    for (const end = events.indexOf(start); at < end; at++)
      conversation = reduceConversation(conversation, events[at] as AgentEvent);
    const messages = projectMessages(conversation, activeUpTo(conversation, start.runId));
    expect(prompts[index]).toEqual(toPrompt(messages, 'Be brief.'));
  }
}

function isServed(events: readonly AgentEvent[], runId: string): boolean {
  return events.some(event => event.type === 'harness_start' && event.runId === runId && event.memory === undefined);
}
