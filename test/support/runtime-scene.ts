import { expect } from 'vitest';
import * as z from 'zod';
import { defineTool, type LoopAgentOptions, loopAgent, type PermissionRuleSet } from '../../src/agents/index.ts';
import { type ModelScript, scriptByStep, type ScriptedPart } from '../../src/agents/model/scripted/script.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { checkFlowOrder, type FlowEvent } from '../../src/protocols/index.ts';
import { createRuntime, type FlowStream, type Runtime, type RuntimeOptions } from '../../src/runtime/index.ts';

export const allowed: PermissionRuleSet = { default: 'allow', rules: [] };

/** An agent that says and does what the script says; the same turns after each user message. */
export function agentOf(turns: Parameters<typeof scriptByStep>[0] | ModelScript, more: Partial<LoopAgentOptions> = {}) {
  const script = typeof turns === 'function' ? turns : scriptByStep(turns);
  return loopAgent({
    id: 'main',
    model: scriptedModel(script),
    permissions: allowed,
    retry: { maxRetries: 0 },
    ...more,
  });
}

/** A part of a turn that calls a tool. */
export const calls = (name: string, input: unknown, id?: string): ScriptedPart => ({
  toolCall: { name, input, ...(id !== undefined && { id }) },
});

export const echo = defineTool({
  name: 'echo',
  description: 'says it again',
  input: z.object({ value: z.string() }),
  execute: ({ value }) => ({ context: value, result: { echo: value } }),
});

/** A runtime whose log has the clock that is given, else one that stands still. */
export function runtimeOf(options: Partial<RuntimeOptions>): Runtime & { readonly storage: MemoryLog } {
  const storage =
    (options.storage as MemoryLog | undefined) ??
    new MemoryLog({ now: () => options.clock?.now() ?? 1_700_000_000_000 });
  return Object.assign(createRuntime({ resourceId: 'acme', storage, ...options }), { storage });
}

export type Of<Type extends FlowEvent['type']> = Extract<FlowEvent, { type: Type }>;

/** Reads a stream to its end, and checks its order. */
export async function readAll(
  stream: FlowStream,
  onEvent: (event: FlowEvent) => Promise<unknown> | void = () => {},
): Promise<FlowEvent[]> {
  const events: FlowEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    await onEvent(event);
  }
  expect(checkFlowOrder(events)).toEqual([]);
  return events;
}

/** Answers every approval of a stream. */
export const answering =
  (
    runtime: Runtime,
    ...answer: [Parameters<Runtime['respondToApproval']>[1], Parameters<Runtime['respondToApproval']>[2]?]
  ) =>
  (event: FlowEvent) =>
    event.type === 'approval-required' ? runtime.respondToApproval(event.data.id, ...answer) : undefined;

/** The events with texts that follow each other joined, and generated ids by the order in which they are met. */
export function plain(events: readonly FlowEvent[]): FlowEvent[] {
  const joined: FlowEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type === 'text' && last?.type === 'text') joined.splice(-1, 1, { ...last, text: last.text + event.text });
    else joined.push(event);
  }
  const ids: string[] = [];
  const name = (id: string) => {
    if (!ids.includes(id)) ids.push(id);
    return `id-${ids.indexOf(id) + 1}`;
  };
  return JSON.parse(
    JSON.stringify(joined).replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, name),
  ) as FlowEvent[];
}

export const usageOf = (promptTokens: number, completionTokens: number) => ({
  promptTokens,
  completionTokens,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  totalTokens: promptTokens + completionTokens,
});

/** The types of the events, texts joined. */
export const typesOf = (events: readonly FlowEvent[]) => plain(events).map(({ type }) => type);
