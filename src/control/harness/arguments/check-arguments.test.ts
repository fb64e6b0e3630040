import { describe, expect, it } from 'vitest';
import { loopAgent } from '../../../agents/loop/loop-agent.ts';
import { scriptedModel } from '../../../agents/model/scripted/scripted-model.ts';
import { Harness } from '../harness.ts';
import type { HarnessEvent } from '../harness-event.ts';

const agent = loopAgent({ model: scriptedModel(['Hi.']) });
const harnessWith = (config: object = {}) => new Harness({ id: 'h', modes: [{ id: 'main', agent }], ...config });
const refused = (message: string, code = 'invalid_argument') =>
  expect.objectContaining({ code, message: expect.stringContaining(message) as string }) as Error;

describe('a harness', () => {
  it.each<[string, object, string]>([
    ['modes', { modes: undefined }, 'Harness requires at least one agent mode'],
    ['a mode', { modes: [] }, 'Harness requires at least one agent mode'],
    ['an agent of a mode', { modes: [{ id: 'main' }] }, 'as `modes.0.agent`: expected an agent'],
    [
      'more than the name of an agent',
      { modes: [{ id: 'main', agent: 'x' }] },
      'as `modes.0.agent`: expected an agent',
    ],
    [
      'an agent of Mastra in its adapter',
      { modes: [{ id: 'main', agent: { id: 'm', getInstructions: () => '' } }] },
      'as `modes.0.agent`: an agent of Mastra is passed as `mastraAgent(agent)`',
    ],
    ['an id of a mode', { modes: [{ agent }] }, '`modes.0.id`'],
    ['an id', { id: undefined }, '`id`'],
    ['built-in tools that there are', { disableBuiltinTools: ['nope'] }, '`disableBuiltinTools.0`'],
    ['options that there are', { subagnets: [] }, 'has no option `subagnets`: did you mean `subagents`?'],
    ['a log as its storage', { storage: 'threads.db' }, "expected a log, such as `new SqliteLog('threads.db')`"],
    ['names of its tools', { tools: [{ name: 'look' }] }, 'as `tools`: expected an object of tools by name'],
    ['ids of its subagents', { subagents: [{ name: 'x' }] }, '`subagents.0.id`'],
    ['intervals of its heartbeats', { heartbeatHandlers: [{ id: 'a', handler: () => {} }] }, '.intervalMs`'],
  ])('cannot be made without %s', (_, config, message) => {
    expect(() => harnessWith(config)).toThrow(refused(message));
  });

  it.each<[string, (harness: Harness) => unknown, string]>([
    ['sendMessage without content', harness => harness.sendMessage({} as never), '`content`'],
    ['sendMessage without anything', harness => harness.sendMessage(undefined as never), '`sendMessage`'],
    [
      'sendMessage with a file without mediaType',
      harness => harness.sendMessage({ content: 'x', files: [{ data: 'eA==' }] as never }),
      '`files.0.mediaType`',
    ],
    [
      'sendMessage with a plain object as context',
      harness => harness.sendMessage({ content: 'x', requestContext: { who: 'me' } as never }),
      'expected a `new RequestContext',
    ],
    ['steer without content', harness => harness.steer({} as never), '`content`'],
    ['followUp without content', harness => harness.followUp({} as never), '`content`'],
    ['sendSignal without contents', harness => harness.sendSignal({ type: 'user' } as never), '`contents`'],
    [
      'sendSignal with a plain object as context',
      harness => harness.sendSignal({ content: 'x', requestContext: {} as never }),
      'expected a `new RequestContext',
    ],
    [
      'sendSignal with a file without mediaType',
      harness => harness.sendSignal({ content: 'x', files: [{ data: 'eA==' }] as never }),
      '`files.0.mediaType`',
    ],
    ['respondToToolApproval without a decision', harness => harness.respondToToolApproval({} as never), '`decision`'],
    [
      'respondToQuestion without an answer',
      harness => harness.respondToQuestion({ questionId: 'q' } as never),
      '`answer`',
    ],
    [
      'respondToToolSuspension with a plain object as context',
      harness => harness.respondToToolSuspension({ resumeData: 1, requestContext: {} as never }),
      'expected a `new RequestContext',
    ],
    ['switchModel without a model', harness => harness.switchModel({} as never), '`modelId`'],
    [
      'setPermissionForTool without a tool',
      harness => harness.setPermissionForTool({ policy: 'allow' } as never),
      '`toolName`',
    ],
    [
      'setPermissionForTool with another policy',
      harness => harness.setPermissionForTool({ toolName: 'x', policy: 'maybe' as never }),
      '`policy`',
    ],
    [
      'setPermissionForCategory with another policy',
      harness => harness.setPermissionForCategory({ category: 'read', policy: 'maybe' as never }),
      '`policy`',
    ],
    [
      'setPermissionForCategory with another category',
      harness => harness.setPermissionForCategory({ category: 'readd' as never, policy: 'deny' }),
      '`category`',
    ],
    [
      'grantSessionCategory with another category',
      harness => harness.grantSessionCategory({ category: 'readd' as never }),
      '`category`',
    ],
    ...(
      [
        ['setState', 'yolo', 'expected an object'],
        ['switchMode', 'plan', 'expected object'],
        ['switchMode', {}, '`modeId`'],
        ['switchModel', { modelId: 'a/b', scope: 'threads' }, '`scope`'],
        ['switchModel', { modelId: 'a/b', modeId: 5 }, '`modeId`'],
        ['switchObserverModel', {}, '`modelId`'],
        ['switchReflectorModel', {}, '`modelId`'],
        ['setSubagentModelId', { agentType: 'x' }, '`modelId`'],
        ['setSubagentModelId', { modelId: 5 }, '`modelId`'],
        ['grantSessionTool', { tool: 'x' }, '`toolName`'],
        ['getToolCategory', 'bash', 'expected object'],
        ['subscribe', undefined, 'expected a function'],
        ['subscribeDisplayState', {}, 'expected a function'],
        ['registerHeartbeat', { id: 'a', handler: () => {} }, '`intervalMs`'],
        ['removeHeartbeat', 'a', 'expected object'],
        ['createThread', 'My thread', 'expected object'],
        ['switchThread', 'x', 'expected object'],
        ['listThreads', { resourceId: 'mine' }, 'has no option `resourceId`'],
        ['renameThread', {}, '`title`'],
        ['cloneThread', 'nope', 'expected object'],
        ['setResourceId', 'bob', 'expected object'],
        ['setResourceId', {}, '`resourceId`'],
        ['setThreadSetting', { value: 1 }, '`key`'],
        ['listMessagesForThread', {}, '`threadId`'],
        ['getFirstUserMessageForThread', {}, '`threadId`'],
        ['getFirstUserMessagesForThreads', {}, '`threadIds`'],
        ['saveSystemReminderMessage', { message: 'x' }, '`reminderType`'],
        ['respondToToolApproval', { decision: 'approve', toolCallID: 'x' }, 'has no option `toolCallID`'],
        ['respondToToolApproval', { decision: 'revise' }, 'as `input`: expected the input to use instead'],
        ['respondToQuestion', { answer: 'x' }, '`questionId`'],
        ['respondToPlanApproval', { response: { action: 'approved' } }, '`planId`'],
        ['registerQuestion', { questionId: 'q' }, '`resolve`'],
        ['registerPlanApproval', { resolve: () => {} }, '`planId`'],
      ] as const
    ).map(([method, given, message]): [string, (harness: Harness) => unknown, string] => [
      `${method} with ${JSON.stringify(given)}`,
      harness => (harness[method] as (given: unknown) => unknown)(given),
      message,
    ]),
    ['deleteThread without a thread', harness => harness.memory.deleteThread({} as never), '`threadId`'],
  ])('refuses %s, and nothing happens', async (_, call, message) => {
    const harness = harnessWith();
    const events: HarnessEvent[] = [];
    harness.subscribe(event => void events.push(event));
    await expect((async () => call(harness))()).rejects.toEqual(refused(message));
    expect(events).toEqual([]);
    expect(await harness.listThreads()).toEqual([]);
    expect(harness.getPermissionRules()).toEqual({ categories: {}, tools: {} });
    expect(harness.getSessionGrants()).toEqual({ categories: new Set(), tools: new Set() });
    expect([harness.getState(), harness.getResourceId()]).toEqual([{}, 'h']);
  });

  it('emits an error when a function returns a list of tools', async () => {
    const harness = harnessWith({ tools: () => [{ name: 'look' }] });
    const errors: string[] = [];
    harness.subscribe(event => void (event.type === 'error' && errors.push(event.error.message)));
    await harness.sendMessage({ content: 'Hi.' });
    expect(errors).toEqual(['Tools are a list. Pass an object with their names as keys, such as `{ look: tool }`.']);
  });

  it('rejects a model for an unknown mode', async () => {
    const harness = harnessWith();
    await expect(harness.switchModel({ modelId: 'a/b', modeId: 'nope' })).rejects.toEqual(
      refused('Mode not found: nope', 'not_found'),
    );
  });

  it('explains how to answer when nothing is pending', () => {
    expect(() => harnessWith().respondToToolApproval({ decision: 'approve' })).toThrow(
      refused('No approval is pending in the open thread. Answer after `tool_approval_required`', 'relay_not_found'),
    );
  });
});
