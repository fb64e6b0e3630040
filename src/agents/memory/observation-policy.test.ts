import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { memoryScene } from '../../../test/support/memory-scene.ts';
import { Supervisor } from '../../control/index.ts';
import { type AgentEvent, checkOrder, type EventOf } from '../../events/index.ts';
import { activeUpTo, createConversation, reduceConversation } from '../../graph/index.ts';
import { MemoryLog } from '../../log/index.ts';
import { projectMessages } from '../../projections/model-input/project-messages.ts';
import type { Agent } from '../agent.ts';
import { toPrompt } from '../model/call/prompt.ts';

const of = <Type extends AgentEvent['type']>(events: readonly AgentEvent[], type: Type) =>
  events.filter((event): event is EventOf<Type> => event.type === type);

async function newThread() {
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread();
  return { log, threadId, supervisor: new Supervisor({ log }) };
}
type Scene = Awaited<ReturnType<typeof newThread>>;

async function say({ supervisor, threadId }: Scene, agent: Agent, content: string) {
  return (await supervisor.start(threadId, { agent, content })).done;
}

/** Waits until every run of an observer or a reflector has ended. */
async function observersEnded({ log, threadId }: Scene): Promise<void> {
  const open = new Set<string>();
  for (const event of await log.read(threadId)) {
    if (event.type === 'harness_start' && event.memory !== undefined) open.add(event.runId);
    if (event.type === 'harness_end') open.delete(event.runId);
  }
  const after = (await log.getThread(threadId))?.seq ?? 0;
  if (open.size === 0) return;
  for await (const event of log.tail(threadId, after, { types: ['harness_end'] }))
    if (open.delete(event.runId) && open.size === 0) return;
}

const observationsOf = (prompt: LanguageModelV3Prompt | undefined) =>
  (prompt ?? []).flatMap(message =>
    message.role === 'user'
      ? message.content.flatMap(part => (part.type === 'text' && part.text.includes('Date: 2026') ? [part.text] : []))
      : [],
  );
const topics = (text: string) => [...new Set(text.match(/topic-\d+/g))];

describe('observational memory', () => {
  it('replaces older messages by observations; the source stays in the log', async () => {
    const thread = await newThread();
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
    expect(of(events, 'user')).toHaveLength(12);
  });

  it('begins every request with the observations of the one before', async () => {
    const thread = await newThread();
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
    const thread = await newThread();
    const { agent, prompts } = memoryScene();
    for (let turn = 1; turn <= 15; turn++) {
      await say(thread, agent, `Tell me of topic-${turn}.`);
      await observersEnded(thread);
    }
    const events = await thread.log.read(thread.threadId);
    const served = events.filter(event => event.type === 'step_start' && isServed(events, event.runId));
    for (const [index, start] of served.entries()) {
      const conversation = events.slice(0, events.indexOf(start)).reduce(reduceConversation, createConversation());
      const messages = projectMessages(conversation, activeUpTo(conversation, start.runId));
      expect(prompts[index]).toEqual(toPrompt(messages, 'Be brief.'));
    }
  });
});

function isServed(events: readonly AgentEvent[], runId: string): boolean {
  return events.some(event => event.type === 'harness_start' && event.runId === runId && event.memory === undefined);
}
