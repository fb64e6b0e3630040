import { expect } from 'vitest';
import * as z from 'zod';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import type { LoopAgentOptions } from '../../src/agents/loop/loop-agent-options.ts';
import type { ModelScript, ScriptedPart } from '../../src/agents/model/scripted/script.ts';
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from '../../src/agents/model/scripted/scripted-model.ts';
import { Harness, type HarnessConfig, type HarnessEvent, type HarnessTool } from '../../src/control/index.ts';
import { line } from '../support/harness-log.ts';
import { type Gate, gate } from '../support/scripted-agent.ts';

export { gate };

/** What tests use of a harness: all its events, and a way to wait for one. */
export interface Scene {
  readonly harness: Harness;
  readonly model: ScriptedModel;
  readonly events: HarnessEvent[];
  /** One line for each event, without display states; repeated lines once. */
  readonly lines: () => string[];
  /** The events of a type. */
  readonly of: <Type extends HarnessEvent['type']>(type: Type) => Extract<HarnessEvent, { type: Type }>[];
  /** The n-th event of a type, now or when it comes. */
  readonly on: <Type extends HarnessEvent['type']>(
    type: Type,
    count?: number,
  ) => Promise<Extract<HarnessEvent, { type: Type }>>;
}

export interface SceneOptions extends Partial<HarnessConfig> {
  readonly agent?: Partial<LoopAgentOptions>;
  readonly model?: ScriptedModelOptions;
}

/** Any model id names a model. */
export const anyModel = { resolveModel: (id: string) => scriptedModel([`${id}.`]) };

/** A harness with one mode, `main`, whose model does what the script says. */
export function scene(script: ModelScript, { agent, model: options, ...config }: SceneOptions = {}): Scene {
  const model = scriptedModel(script, options);
  const main = loopAgent({ id: 'main', model, retry: { maxRetries: 0 }, ...agent });
  const harness = new Harness({ id: 'harness', modes: [{ id: 'main', name: 'Main', agent: main }], ...config });
  return { model, ...watch(harness) };
}

/** Watches a harness. */
export function watch(harness: Harness): Omit<Scene, 'model'> {
  const events: HarnessEvent[] = [];
  const waiting: { type: string; count: number; resolve: (event: never) => void }[] = [];
  const of: Scene['of'] = type => events.filter((event): event is never => event.type === type);
  harness.subscribe(event => {
    events.push(event);
    for (const { type, count, resolve } of waiting)
      if (event.type === type && of(type as 'info').length === count) resolve(event as never);
  });
  return {
    harness,
    events,
    of,
    on: async (type, count = 1) =>
      of(type)[count - 1] ?? new Promise(resolve => waiting.push({ type, count, resolve })),
    lines: () => linesOf(events),
  };
}

/** One line for each event, without display states; repeated lines once. */
export function linesOf(events: readonly HarnessEvent[]): string[] {
  return events
    .filter(({ type }) => type !== 'display_state_changed')
    .map(event => line(event).replaceAll(/[0-9a-f-]{36}\//g, ''))
    .filter((text, at, all) => text !== all[at - 1]);
}

/** Expects a message to reject because its run was detached. */
export const isDetached = (sending: Promise<void>): Promise<void> =>
  expect(sending).rejects.toMatchObject({ code: 'run_detached' });

/** A part of a turn that calls a tool. */
export const calls = (name: string, input: unknown = {}, id = name): ScriptedPart => ({
  toolCall: { id, name, input },
});

/** What the user and the model said, as the model was sent it last. */
export const sent = ({ requests }: ScriptedModel, index = requests.length - 1): string[] =>
  (requests[index]?.messages ?? []).map(({ role, text }) => `${role}: ${text}`);

/** A tool that begins, and ends when it is let. */
export function waitingTool(): { readonly tool: HarnessTool; readonly begun: Gate; readonly end: Gate } {
  const begun = gate();
  const end = gate();
  const tool: HarnessTool = {
    description: 'waits',
    inputSchema: z.object({}),
    execute: async (_, context) => {
      begun.open();
      const stopped = new Promise(resolve => context?.abortSignal?.addEventListener('abort', resolve));
      await Promise.race([end.opened, stopped]);
      return 'waited';
    },
  };
  return { tool, begun, end };
}

export const echo: HarnessTool<{ value: string }> = {
  description: 'says it again',
  inputSchema: z.object({ value: z.string() }),
  execute: ({ value }) => `${value}!`,
};

/** A model that says its first word and then nothing, until it is stopped. */
export function silentAfterOneWord(): { readonly model: ScriptedModelOptions; readonly silent: Gate } {
  const silent = gate();
  let waits = 0;
  const delay = (_: number, signal?: AbortSignal) =>
    ++waits === 1
      ? Promise.resolve()
      : new Promise((_resolve, reject) => {
          silent.open();
          signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
  return { model: { delay }, silent };
}

export const yolo = { initialState: { yolo: true } };
