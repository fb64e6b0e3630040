import { stepCountIs } from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { loopAgent } from '../../src/agents/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import * as front from '../../src/index.ts';
import {
  type ActiveToolState,
  Harness,
  type HarnessConfig,
  type HarnessDisplayState,
  type HarnessEvent,
  type HarnessMessage,
  type HarnessMessageContent,
  type HarnessMode,
  type HarnessQuestionAnswer,
  type HarnessSession,
  type HarnessSubagent,
  type HarnessThread,
  type HeartbeatHandler,
  MemoryLog,
  type PermissionRules,
  RequestContext,
  type TaskItemSnapshot,
  type TokenUsage,
  type ToolCategory,
} from '../../src/index.ts';

const stateSchema = z.object({ currentModelId: z.string().optional(), tone: z.string().default('calm') });
type State = z.infer<typeof stateSchema>;

/** A program that names the types of all it is given, as one that was written for the specification does. */
function textOf(parts: HarnessMessageContent[]): string {
  return parts.map(part => (part.type === 'text' ? part.text : part.type)).join(' ');
}
function statusOf(tools: Map<string, ActiveToolState>): string[] {
  return [...tools.values()].map(({ name, status }) => `${name} ${status}`);
}

const subagents: HarnessSubagent[] = [
  {
    id: 'explore',
    name: 'Explore',
    description: 'looks around',
    instructions: ({ requestContext }) => `Look around for ${String(requestContext.get('user'))}.`,
    allowedHarnessTools: ['read'],
    defaultModelId: 'mine/small',
    maxSteps: 3,
    stopWhen: [stepCountIs(4)],
  },
];
const heartbeatHandlers: HeartbeatHandler[] = [{ id: 'sync', intervalMs: 60_000, handler: () => {}, immediate: false }];
const modes: HarnessMode<State>[] = [
  { id: 'plan', name: 'Plan', default: true, agent: loopAgent({ model: scriptedModel(() => 'Planned.') }) },
  { id: 'build', agent: ({ tone }) => loopAgent({ model: scriptedModel(() => `Built, ${tone}.`) }) },
];
const config: HarnessConfig<State> = {
  id: 'my-coding-agent',
  storage: new MemoryLog(),
  stateSchema,
  initialState: { tone: 'loud' },
  modes,
  subagents,
  heartbeatHandlers,
  tools: {
    read: {
      description: 'reads',
      inputSchema: z.object({ path: z.string() }),
      execute: async ({ path }: { path: string }, context) => [path, context?.requestContext?.get('user')],
    },
  },
  disableBuiltinTools: ['task_check'],
  modelUseCountProvider: () => ({ 'mine/small': 1 }),
  toolCategoryResolver: toolName => (toolName === 'read' ? 'read' : null),
  threadLock: { acquire: async (_id: string) => {}, release: (_id: string) => {} },
};

describe('a program written for the specification', () => {
  it('compiles, and receives the types it names', async () => {
    const harness = new Harness(config);
    const seen: string[] = [];
    const listener = async (event: HarnessEvent): Promise<void> => {
      if (event.type === 'message_end') seen.push(textOf(event.message.content));
    };
    const unsubscribe: () => void = harness.subscribe(listener);
    await harness.init();
    const thread: HarnessThread = await harness.selectOrCreateThread();
    await harness.sendMessage({ content: 'Hello!', requestContext: new RequestContext([['user', 'me']]) });
    await harness.switchMode({ modeId: 'build' });
    await harness.sendMessage({ content: 'Go.', files: [{ data: 'aGk=', mediaType: 'text/plain' }] });
    expect(seen).toEqual(['Hello!', 'Planned.', 'Go. file', 'Built, loud.']);
    unsubscribe();

    const tasks: TaskItemSnapshot[] = [{ id: 't', content: 'A', status: 'pending', activeForm: 'A' }];
    await harness.setState({ tone: 'calm', tasks });
    harness.restoreDisplayTasks(tasks);
    const { tone, currentModelId }: State = harness.getState();
    expect([tone, currentModelId]).toEqual(['calm', undefined]);
    const display: HarnessDisplayState = harness.getDisplayState();
    const shown: TaskItemSnapshot[] = display.tasks;
    expect([statusOf(display.activeTools), shown]).toEqual([[], tasks]);

    const listed: HarnessMode<State>[] = harness.listModes();
    listed.pop();
    expect(harness.listModes()).toHaveLength(2);
    const session: HarnessSession = await harness.getSession();
    expect(session).toMatchObject({ currentThreadId: thread.id, currentModeId: 'build', threads: [{ id: thread.id }] });
    const messages: HarnessMessage[] = await harness.listMessages({ limit: 1 });
    expect(messages.map(({ role, content }) => `${role}: ${textOf(content)}`)).toEqual(['assistant: Built, loud.']);
    const usage: TokenUsage = harness.getTokenUsage();
    expect(usage.totalTokens).toBeGreaterThan(0);

    harness.grantSessionCategory({ category: 'edit' });
    const grants: { categories: Set<ToolCategory>; tools: Set<string> } = harness.getSessionGrants();
    grants.tools.add('rm');
    expect([harness.getSessionGrants().categories.has('edit'), harness.getSessionGrants().tools.size]).toEqual([
      true,
      0,
    ]);
    harness.setPermissionForCategory({ category: 'execute', policy: 'ask' });
    harness.setPermissionForTool({ toolName: 'dangerous_tool', policy: 'deny' });
    const rules: PermissionRules = harness.getPermissionRules();
    expect(rules).toEqual({ categories: { execute: 'ask' }, tools: { dangerous_tool: 'deny' } });

    const record = await harness.getObservationalMemoryRecord();
    if (record) expect([record.activeObservations, record.generationCount, record.observationTokenCount]).toEqual([]);
    const answers: HarnessQuestionAnswer[] = [];
    harness.registerQuestion({ questionId: 'q', resolve: (answer: string | string[]) => answers.push(answer) });
    harness.respondToQuestion({ questionId: 'q', answer: ['Add tests', 'Update docs'] });
    expect(answers).toEqual([['Add tests', 'Update docs']]);
    await harness.destroy();
  });

  it('finds the values of the entry point in the main entry', () => {
    expect(Object.keys(front)).toEqual(
      expect.arrayContaining([
        'Harness',
        'askUserTool',
        'submitPlanTool',
        'taskWriteTool',
        'taskUpdateTool',
        'taskCompleteTool',
        'taskCheckTool',
        'assignTaskIds',
        'parseSubagentMeta',
        'defaultDisplayState',
        'defaultOMProgressState',
      ]),
    );
  });
});
