import type { LanguageModelV3, LanguageModelV3Prompt } from '@ai-sdk/provider';
import * as z from 'zod';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { Supervisor } from '../../src/control/index.ts';
import type { RunOutcome } from '../../src/control/supervision/run-counts.ts';
import { type AgentEvent, type EventOf, SingletreeError } from '../../src/events/index.ts';
import { type EventLog, MemoryLog } from '../../src/log/index.ts';
import { Memory } from '../../src/agents/memory/memory.ts';
import type { MemoryOptions } from '../../src/agents/contract/memory.ts';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import type { LoopAgentOptions } from '../../src/agents/loop/loop-agent-options.ts';
import { defineTool } from '../../src/agents/loop/tool.ts';
import type { ScriptedTurn } from '../../src/agents/model/scripted/script.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import type { ScriptedRequest } from '../../src/agents/model/scripted/scripted-request.ts';

/** Thresholds that a few short messages reach. */
export const smallLimits = {
  observation: { threshold: 600, batchTokens: 200 },
  reflection: { threshold: 100_000 },
} satisfies MemoryOptions;

/** Answers an observer: a line that names the topics of the messages, and one of the newest topic as the task. */
export function observe(request: ScriptedRequest): string {
  const text = request.lastUserText.split('Messages to observe:').at(-1) ?? '';
  const topics = [...new Set(text.match(/topic-\d+/g))];
  return [
    `<observations>\nDate: 2026-01-01\n* [high] (10:00) User spoke of ${topics.join(' ')}\n</observations>`,
    `<current-task>Talk about ${topics.at(-1) ?? 'nothing'}</current-task>`,
    `<suggested-response>Say more of ${topics.at(-1) ?? 'nothing'}</suggested-response>`,
  ].join('\n');
}

/** Answers a reflector: the topics of all observations in one line. */
export function reflect(request: ScriptedRequest): string {
  const topics = [...new Set(request.lastUserText.match(/topic-\d+/g))];
  return `<observations>\nDate: 2026-01-01\n* [high] All of ${topics.join(' ')}\n</observations>`;
}

export interface MemoryScene {
  /** What the observer answers. */
  readonly observer?: (request: ScriptedRequest, count: number) => ScriptedTurn;
  readonly reflector?: (request: ScriptedRequest, count: number) => ScriptedTurn;
  /** What the observer waits for before it answers. */
  readonly gate?: (signal: AbortSignal | undefined) => Promise<unknown>;
  readonly answer?: (request: ScriptedRequest) => ScriptedTurn;
  readonly memory?: MemoryOptions;
  readonly agent?: Partial<LoopAgentOptions>;
}

/** An agent with a memory on scripted models, and what they were sent. */
export function memoryScene(scene: MemoryScene = {}) {
  const observed: ScriptedRequest[] = [];
  const reflected: ScriptedRequest[] = [];
  const requests: ScriptedRequest[] = [];
  const prompts: LanguageModelV3Prompt[] = [];
  const keep = (list: ScriptedRequest[], request: ScriptedRequest) => {
    void request.messages;
    return list.push(request);
  };
  const observer = scriptedModel(request => (scene.observer ?? observe)(request, keep(observed, request)));
  const reflector = scriptedModel(request => (scene.reflector ?? reflect)(request, keep(reflected, request)));
  const answer = scriptedModel(request => {
    keep(requests, request);
    return scene.answer?.(request) ?? `More about ${request.lastUserText.slice(0, 40)}. ${'word '.repeat(60)}`;
  });
  const options = scene.memory ?? smallLimits;
  const memory = new Memory({
    ...options,
    retry: { maxRetries: 0 },
    observation: { model: watched(observer, [], scene.gate), ...options.observation },
    reflection: { model: reflector, ...options.reflection },
  });
  const agent = loopAgent({
    model: watched(answer, prompts),
    instructions: 'Be brief.',
    permissions: { default: 'allow', rules: [] },
    tools: [page],
    memory,
    ...scene.agent,
  });
  return { agent, memory, observed, reflected, requests, prompts };
}

const page = defineTool({
  name: 'page',
  description: 'reads a page',
  input: z.object({ number: z.number() }),
  execute: ({ number }) => `topic-${number} is on this page. ${'lorem '.repeat(60)}`,
});

/** Keeps each prompt as the model receives it. */
function watched(
  model: LanguageModelV3,
  prompts: LanguageModelV3Prompt[],
  gate?: MemoryScene['gate'],
): LanguageModelV3 {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: options => model.doGenerate(options),
    doStream: async options => {
      prompts.push(options.prompt);
      await gate?.(options.abortSignal);
      return model.doStream(options);
    },
  };
}

/** The events of one type. */
export const eventsOf = <Type extends AgentEvent['type']>(events: readonly AgentEvent[], type: Type) =>
  events.filter((event): event is EventOf<Type> => event.type === type);

/** The events of each run of an agent. */
export function runsOf(events: readonly AgentEvent[], agentId: string): AgentEvent[][] {
  const starts = eventsOf(events, 'harness_start').filter(start => start.agentId === agentId);
  return starts.map(({ runId }) => events.filter(event => event.runId === runId));
}

/** A new thread in memory, and a supervisor of it. */
export async function newMemoryThread() {
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread();
  return { log, threadId, supervisor: new Supervisor({ log }) };
}

export interface MemoryThread {
  readonly log: EventLog;
  readonly threadId: string;
  readonly supervisor: Supervisor;
}

/** Sends a message, once no other process runs the thread; resolves with the outcome of its run. */
export async function say(thread: MemoryThread, agent: Agent, content: string): Promise<RunOutcome> {
  try {
    return await (await thread.supervisor.start(thread.threadId, { agent, content })).done;
  } catch (error) {
    if (!SingletreeError.is(error, 'lease_held')) throw error;
    await new Promise(setImmediate);
    return say(thread, agent, content);
  }
}

/** Waits until every run of an observer or a reflector has ended. */
export async function observersEnded({ log, threadId }: Pick<MemoryThread, 'log' | 'threadId'>): Promise<void> {
  const open = new Set<string>();
  let after = 0;
  for (const event of await log.read(threadId)) {
    after = event.seq;
    if (event.type === 'harness_start' && event.memory !== undefined) open.add(event.runId);
    if (event.type === 'harness_end') open.delete(event.runId);
  }
  if (open.size === 0) return;
  for await (const event of log.tail(threadId, after, { types: ['harness_end'] }))
    if (open.delete(event.runId) && open.size === 0) return;
}
