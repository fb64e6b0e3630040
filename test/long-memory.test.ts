import { hostname } from 'node:os';
import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { toPrompt } from '../src/agents/model/call/prompt.ts';
import { countTokens } from '../src/agents/model/tokens/tokens.ts';
import { Supervisor } from '../src/control/index.ts';
import { checkOrder, newId } from '../src/events/index.ts';
import { activeUpTo, createConversation, reduceConversation } from '../src/graph/index.ts';
import { type EventLog, MemoryLog } from '../src/log/index.ts';
import type { AssistantPart, Message, ToolResultPart } from '../src/projections/message.ts';
import { projectMessages } from '../src/projections/model-input/project-messages.ts';
import { killedLog } from './support/killed-log.ts';
import { eventsOf, memoryScene, say } from './support/memory-scene.ts';

const turns = 400;
const limits = { observation: { threshold: 1_500, batchTokens: 600 }, reflection: { threshold: 3_000 } };

/** Reads a page in each turn, then answers. */
const longTalk = () =>
  memoryScene({
    memory: limits,
    answer: ({ step, lastUserText }) => {
      const number = Number(/topic-(\d+)\.$/.exec(lastUserText)?.[1] ?? 0);
      return step === 0
        ? [{ toolCall: { name: 'page', input: { number } } }]
        : `The page about topic-${number} is read.`;
    },
  });

/** A supervisor as a process has it that no longer exists when its log stops. */
const newProcess = (log: EventLog, agent: ReturnType<typeof longTalk>['agent']) =>
  new Supervisor({ log, agents: [agent], owner: `${hostname()}/2147483646/${newId()}` });

/** No request has as many messages or observations as a run waits for the observer or the reflector with. */
async function expectBounded(scene: ReturnType<typeof longTalk>): Promise<void> {
  const { observation, reflection } = scene.memory;
  let most = { messages: 0, observations: 0 };
  for (const prompt of scene.prompts) {
    const { messages, observations } = partsOf(prompt);
    most = {
      messages: Math.max(most.messages, await countTokens(messages)),
      observations: Math.max(most.observations, await countTokens(observations)),
    };
  }
  expect(most.messages).toBeLessThan(observation.threshold * observation.blockAfter);
  expect(most.observations).toBeLessThan(reflection.threshold * reflection.blockAfter);
  const last = JSON.stringify(scene.prompts.at(-1));
  expect(last).toMatch(/\[high\][^"]*\btopic-3\b/);
  expect(last).toContain(`Tell me of topic-${turns}.`);
}

/** The observations of a request, without the title and the current task, and its other messages. */
function partsOf(prompt: LanguageModelV3Prompt): Record<'messages' | 'observations', readonly Message[]> {
  const observations: Message[] = [];
  const messages = prompt.flatMap((message): Message[] => {
    if (message.role === 'system') return [];
    if (message.role === 'assistant') return [{ role: 'assistant', content: message.content.flatMap(assistantPart) }];
    if (message.role === 'tool') return [{ role: 'tool', content: message.content.flatMap(resultPart) }];
    const said = message.content.flatMap(part => (part.type === 'text' ? [part.text] : []));
    const isObserved = (text: string) => /^(Observations of the conversation|Date:)/.test(text);
    observations.push(...said.filter(isObserved).map(text => ({ role: 'user' as const, content: withoutTitle(text) })));
    const other = said.filter(text => !isObserved(text) && !text.startsWith('Current task:'));
    return other.length === 0 ? [] : [{ role: 'user', content: other.map(text => ({ type: 'text', text })) }];
  });
  return { messages, observations };
}

type Said = Extract<LanguageModelV3Prompt[number], { role: 'assistant' | 'tool' }>['content'][number];

function assistantPart(part: Said): AssistantPart[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type !== 'tool-call') return [];
  return [{ type: 'tool_call', id: part.toolCallId, name: part.toolName, input: part.input }];
}

function resultPart(part: Said): ToolResultPart[] {
  if (part.type !== 'tool-result' || part.output.type !== 'text') return [];
  return [{ type: 'tool_result', id: part.toolCallId, name: part.toolName, output: { context: part.output.value } }];
}

function withoutTitle(text: string): string {
  return text.slice(text.indexOf('Date:'));
}

async function eventsIn(log: EventLog, threadId: string) {
  const events = await log.read(threadId, { limit: 1_000_000 });
  expect(checkOrder(events)).toEqual([]);
  return events;
}

describe('a conversation of 400 turns with tools', { timeout: 120_000 }, () => {
  it('keeps every request under the thresholds, and remembers turn 3', async () => {
    const log = new MemoryLog();
    const { id: threadId } = await log.createThread();
    const scene = longTalk();
    const supervisor = new Supervisor({ log });
    for (let turn = 1; turn <= turns; turn++)
      expect(await say({ log, threadId, supervisor }, scene.agent, `Tell me of topic-${turn}.`)).toBe('complete');
    await supervisor.close();
    expect(scene.prompts).toHaveLength(2 * turns);
    expect(scene.reflected.length).toBeGreaterThan(0);
    await expectBounded(scene);
    await eventsIn(log, threadId);
  });

  it('does the same when its process is killed at 20 random moments', async () => {
    const log = new MemoryLog();
    const { id: threadId } = await log.createThread();
    const scene = longTalk();
    const random = randomNumbers(7);
    let kills = 0;
    let killed = killedLog(log, 100 + Math.floor(random() * 400));
    let supervisor = newProcess(killed.log, scene.agent);
    const died = Symbol('died');
    for (let turn = 1; turn <= turns; ) {
      const content = `Tell me of topic-${turn}.`;
      const thread = { log: killed.log, threadId, supervisor };
      const death = killed.killed.then(() => died);
      const outcome = await Promise.race([answer(thread, scene, content), death]);
      if (outcome !== died) {
        expect(outcome).toBe('complete');
        turn++;
        continue;
      }
      kills++;
      killed = killedLog(log, kills < 20 ? 50 + Math.floor(random() * 250) : Number.POSITIVE_INFINITY);
      supervisor = newProcess(killed.log, scene.agent);
    }
    await supervisor.close();
    expect(kills).toBe(20);
    await expectBounded(scene);
    const events = await eventsIn(log, threadId);
    expect(eventsOf(events, 'user')).toHaveLength(turns);
    const activated = eventsOf(events, 'summary').flatMap(({ activates = [] }) => activates);
    expect(new Set(activated).size).toBe(activated.length);
    expectNothingTwice(events);
  });
});

/** Sends a message unless a process that was killed has sent it; resolves when it is answered. */
async function answer(thread: Parameters<typeof say>[0], scene: ReturnType<typeof longTalk>, content: string) {
  const { log, threadId, supervisor } = thread;
  const { here } = await supervisor.takeOver(threadId);
  for (const run of here) await run.done;
  const seq = (await log.getThread(threadId))?.seq ?? 0;
  const newest = await log.read(threadId, { after: Math.max(0, seq - 200), limit: 200 });
  const asked = newest.findLastIndex(event => event.type === 'user' && event.content === content);
  if (asked < 0) return say(thread, scene.agent, content);
  const ends = eventsOf(newest.slice(asked), 'harness_end').filter(({ agentId }) => agentId === 'loop');
  return ends[0]?.reason ?? 'unanswered';
}

/** The request that would come next has every topic at most once as a message and as an observation. */
function expectNothingTwice(events: Awaited<ReturnType<typeof eventsIn>>): void {
  const conversation = events.reduce(reduceConversation, createConversation());
  const last = eventsOf(events, 'user').at(-1);
  const sent = toPrompt(projectMessages(conversation, activeUpTo(conversation, `${last?.runId}:user`)), undefined);
  const said = JSON.stringify(sent).match(/Tell me of topic-\d+\./g) ?? [];
  expect(new Set(said).size).toBe(said.length);
}

/** Numbers between 0 and 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
