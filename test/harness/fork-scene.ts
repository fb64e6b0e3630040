import { Memory } from '../../src/agents/memory/memory.ts';
import type { ModelScript, ScriptedTurn } from '../../src/agents/model/scripted/script.ts';
import type { HarnessSubagent, HarnessThread } from '../../src/control/index.ts';
import type { EventLog } from '../../src/log/index.ts';
import { calls, echo, scene, type SceneOptions } from './scene.ts';

/** What the option `memory` is given in tests of forks, which only need that there is one. */
export const memory: SceneOptions = { memory: new Memory() };

export const collaborator: HarnessSubagent = {
  id: 'collaborator',
  name: 'Collaborator',
  description: 'tries another angle',
  instructions: 'Ignored.',
  tools: { ignored: echo },
  defaultModelId: 'a/ignored',
  maxSteps: 1,
  stopWhen: () => true,
  forked: true,
};

/** A call of a forked subagent. */
export const fork = (task = 'Try it.', more: object = {}, id = 'sub') =>
  calls('subagent', { agentType: 'collaborator', task, ...more }, id);

/** Answers a task by its steps, and every other message by those of the parent. */
export function byTask(parent: readonly ScriptedTurn[], tasks: Record<string, readonly ScriptedTurn[]>): ModelScript {
  return ({ lastUserText, step }) => (tasks[lastUserText] ?? parent)[step] ?? 'Done.';
}

/** A harness whose model starts forks; calls need no approval unless `initialState` is given. */
export function forking(script: ModelScript, options: SceneOptions = {}) {
  return scene(script, {
    initialState: { yolo: true },
    tools: { echo },
    subagents: [collaborator],
    agent: { instructions: 'Be brief.' },
    ...memory,
    ...options,
  });
}

/** The result of the n-th `subagent` call. */
export const resultOf = (events: readonly { result: unknown }[], at = -1) =>
  events.at(at)?.result as { content: string; isError: boolean };

/** The threads of forks, oldest first. */
export async function forksOf({
  harness,
}: Pick<ReturnType<typeof forking>, 'harness'>): Promise<readonly HarnessThread[]> {
  const threads = await harness.listThreads({ includeForkedSubagents: true });
  return threads
    .filter(({ metadata }) => metadata?.['forkedSubagent'] === true)
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** Every event of a thread as it is stored. */
export const stored = async (log: EventLog, threadId: string) =>
  (await log.read(threadId)).map(event => JSON.stringify(event));
