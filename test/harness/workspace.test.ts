import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import { scriptByStep } from '../../src/agents/model/scripted/script.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { Harness, mastraToolNames, RequestContext, Workspace, type WorkspaceConfig } from '../../src/control/index.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { createActivityState, projectActivity } from '../../src/projections/index.ts';
import { importThread, MemoryLog } from '../../src/log/index.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { calls, echo, scene, watch, yolo } from './scene.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-workspace-')));
const root = join(base, 'project');
const cleanups: (() => unknown)[] = [];

beforeEach(() => {
  rmSync(base, { recursive: true, force: true });
  mkdirSync(join(root, 'skills/review'), { recursive: true });
  writeFileSync(join(root, 'notes.txt'), 'hello');
  writeFileSync(join(root, 'skills/review/SKILL.md'), '---\ndescription: reviews a change\n---\nRead it twice.\n');
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const tools = ['read', 'list', 'glob', 'grep', 'edit', 'write', 'patch', 'bash'];
const builtins = ['ask_user', 'submit_plan', 'task_write', 'task_update', 'task_complete', 'task_check'];

describe('a workspace', () => {
  it('is an instance that the harness starts, and a harness runs its tools', async () => {
    const workspace = new Workspace({ root, id: 'w1', name: 'Project', skills: ['skills'] });
    const { harness, of, events, model } = scene(
      [[calls('read', { path: 'notes.txt' })], [calls('skill', { skill: 'review' })], 'Done.'],
      { workspace, ...yolo },
    );
    expect([harness.hasWorkspace(), harness.isWorkspaceReady(), harness.getWorkspace()]).toEqual([
      true,
      false,
      workspace,
    ]);
    await harness.init();
    expect(events.filter(({ type }) => type.startsWith('workspace'))).toEqual([
      { type: 'workspace_status_changed', status: 'initializing' },
      { type: 'workspace_status_changed', status: 'ready' },
      { type: 'workspace_ready', workspaceId: 'w1', workspaceName: 'Project' },
    ]);
    expect([harness.isWorkspaceReady(), workspace.status]).toEqual([true, 'ready']);
    expect(await harness.resolveWorkspace()).toBe(workspace);
    await harness.sendMessage({ content: 'Read.' });
    expect(model.requests[0]?.toolNames).toEqual([...builtins, ...tools, 'skill']);
    expect(JSON.stringify(model.requests[2])).toContain('Read it twice.');
    expect(of('tool_end').map(({ isError }) => isError)).toEqual([false, false]);
  });

  it('shows the files that its tools change and what its commands print', async () => {
    const patch =
      '*** Begin Patch\n*** Add File: c.txt\n+c\n*** Update File: notes.txt\n@@\n-hello\n+bye\n*** End Patch';
    const { harness, of } = scene(
      [
        [calls('write', { path: 'a.txt', content: 'a' })],
        [calls('edit', { path: 'a.txt', old_string: 'a', new_string: 'b' })],
        [calls('patch', { patch })],
        [calls('bash', { command: 'echo out; echo err >&2' })],
        'Done.',
      ],
      { workspace: { root }, ...yolo },
    );
    await harness.sendMessage({ content: 'Go.' });
    const { modifiedFiles, activeTools } = harness.getDisplayState();
    expect([...modifiedFiles].map(([path, { operations }]) => [path, operations])).toEqual([
      ['a.txt', ['write', 'edit']],
      ['c.txt', ['patch']],
      ['notes.txt', ['patch']],
    ]);
    expect(of('shell_output').map(({ stream, output }) => [stream, output])).toEqual([
      ['stdout', 'out\n'],
      ['stderr', 'err\n'],
    ]);
    expect([...activeTools.values()].at(-1)?.shellOutput).toBe('out\nerr\n');
  });

  it('is built from its options, and destroyed with the harness that built it', async () => {
    const { harness } = scene([], { workspace: { root } });
    expect(harness.getWorkspace()).toBeUndefined();
    await harness.init();
    const workspace = harness.getWorkspace();
    expect(workspace).toMatchObject({ name: 'project', root, status: 'ready' });
    await harness.destroy();
    expect(workspace?.status).toBe('destroyed');
    const own = new Workspace({ root });
    const { harness: other } = scene([], { workspace: own });
    await other.init();
    await other.destroy();
    expect(own.status).toBe('ready');
  });

  it('is made by a factory for the context of each request, and cached', async () => {
    const workspaces = new Map(['ann', 'bob'].map(name => [name, new Workspace({ root, name })]));
    const { harness, of } = scene(['One.', 'Two.', 'Three.'], {
      workspace: ({ requestContext }) => workspaces.get(String(requestContext.get('user'))),
    });
    expect([harness.hasWorkspace(), harness.isWorkspaceReady()]).toEqual([true, true]);
    expect(harness.getWorkspace()).toBeUndefined();
    await harness.sendMessage({ content: 'a', requestContext: new RequestContext([['user', 'ann']]) });
    expect(harness.getWorkspace()).toBe(workspaces.get('ann'));
    expect(await harness.resolveWorkspace({ requestContext: new RequestContext([['user', 'bob']]) })).toBe(
      workspaces.get('bob'),
    );
    expect(harness.getWorkspace()).toBe(workspaces.get('bob'));
    await harness.sendMessage({ content: 'a', requestContext: new RequestContext([['user', 'ann']]) });
    expect(of('workspace_ready').map(({ workspaceName }) => workspaceName)).toEqual(['ann', 'bob']);
    expect(await harness.resolveWorkspace()).toBe(workspaces.get('ann'));
    expect(await harness.resolveWorkspace({ requestContext: new RequestContext() })).toBeUndefined();
    await harness.destroyWorkspace();
    expect(workspaces.get('ann')?.status).toBe('ready');
  });

  it('is an event when it fails to start, and the harness runs without it', async () => {
    const missing = join(base, 'missing');
    const { harness, of, model } = scene(['Hello.', 'Again.'], { workspace: { root: missing } });
    await harness.sendMessage({ content: 'Hi.' });
    const message = `The folder ${missing} does not exist: a workspace needs an existing one.`;
    expect(of('workspace_status_changed').map(({ status, error }) => [status, error?.message])).toEqual([
      ['initializing', undefined],
      ['error', message],
    ]);
    expect(of('workspace_error').map(({ error }) => error.message)).toEqual([message]);
    expect(of('error')).toEqual([]);
    expect([harness.hasWorkspace(), harness.isWorkspaceReady(), harness.getWorkspace()]).toEqual([
      true,
      false,
      undefined,
    ]);
    expect(model.requests[0]?.toolNames).toEqual(builtins);
    mkdirSync(missing);
    expect((await harness.resolveWorkspace())?.status).toBe('ready');
    await harness.sendMessage({ content: 'Hi.' });
    expect(model.requests[1]?.toolNames).toEqual([...builtins, ...tools]);
  });

  it.each<[string, () => never, string]>([
    [
      'throws',
      () => {
        throw new Error('no disk');
      },
      'no disk',
    ],
    ['returns something else', () => ({ root }) as never, 'returned an object: expected a `new Workspace({ root })`'],
  ])('is an event when its factory %s', async (_, workspace, message) => {
    const { harness, of, model } = scene(['Hello.'], { workspace });
    await harness.sendMessage({ content: 'Hi.' });
    expect(of('workspace_error')[0]?.error.message).toContain(message);
    expect(model.requests[0]?.toolNames).toEqual(builtins);
  });

  it('ends its commands when it is destroyed, and later runs have none of its tools', async () => {
    const { harness, on, of, model } = scene(
      [[calls('bash', { command: 'echo started; sleep 600' })], 'Stopped.', 'Again.'],
      { workspace: { root }, ...yolo },
    );
    const sending = harness.sendMessage({ content: 'Go.' });
    await on('shell_output');
    await harness.destroyWorkspace();
    await sending;
    expect(of('tool_end')).toMatchObject([
      { isError: true, result: 'The workspace "project" was destroyed. Create another one.' },
    ]);
    expect(of('workspace_status_changed').map(({ status }) => status)).toEqual([
      'initializing',
      'ready',
      'destroying',
      'destroyed',
    ]);
    expect([harness.isWorkspaceReady(), harness.getWorkspace(), await harness.resolveWorkspace()]).toEqual([
      false,
      undefined,
      undefined,
    ]);
    await harness.sendMessage({ content: 'Go.' });
    expect(model.requests[2]?.toolNames).toEqual(builtins);
  });

  it('stays destroyed when that happens while it starts', async () => {
    const { harness, of, on } = scene([], { workspace: { root } });
    const starting = harness.init();
    await on('workspace_status_changed');
    await harness.destroyWorkspace();
    await starting;
    expect([harness.isWorkspaceReady(), harness.getWorkspace()]).toEqual([false, undefined]);
    expect(of('workspace_status_changed').at(-1)?.status).toBe('destroyed');
    expect(of('workspace_error')).toEqual([]);
  });

  it('is in the context of harness tools', async () => {
    const look = {
      description: 'looks',
      execute: async (_: unknown, context?: { requestContext?: { get(key: string): unknown } }) => {
        const harness = context?.requestContext?.get('harness') as { workspace?: Workspace } | undefined;
        return harness?.workspace?.readFile('notes.txt');
      },
    };
    const { harness, of } = scene([[calls('look')], 'Done.'], { workspace: { root }, tools: { look }, ...yolo });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_end')[0]?.result).toBe('hello');
  });

  it.each<[string, unknown, string]>([
    ['an unknown option', { root, rooot: 'x' }, 'has no option `rooot`: did you mean `root`?'],
    ['no root', {}, 'as `root`: expected a string that is not empty'],
    ['a path', '/tmp', 'expected a `new Workspace({ root })`, its options, or a function'],
    ['an unknown tool', { root, tools: { reed: {} } }, 'has no option `tools.reed`: did you mean `tools.read`?'],
    ['a tool name with a space', { root, tools: { read: { name: 'read it' } } }, '`tools.read.name`'],
    ['two tools of one name', { root, tools: { read: { name: 'grep' } } }, 'have the same name "grep"'],
    ['an unknown answer to paths outside', { root, outside: 'allow' }, 'expected "ask" or "refuse"'],
  ])('rejects %s at construction', (_, workspace, message) => {
    expect(() => scene([], { workspace: workspace as WorkspaceConfig })).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringContaining(message) as string,
      }) as Error,
    );
  });

  it('rejects other options of resolveWorkspace', async () => {
    const { harness } = scene([], { workspace: { root } });
    await expect(harness.resolveWorkspace({ context: 1 } as never)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('the tools of a workspace', () => {
  it('have configurable names, in every mode, with their categories', async () => {
    const model = scriptedModel(['One.', 'Two.']);
    const agent = (id: string) => loopAgent({ id, model });
    const harness = new Harness({
      id: 'h',
      modes: ['plan', 'build'].map(id => ({ id, agent: agent(id) })),
      workspace: {
        root,
        tools: { ...mastraToolNames, glob: { enabled: false }, patch: { enabled: false } },
      },
    });
    const names = Object.values(mastraToolNames).map(({ name }) => String(name));
    expect(harness.getToolCategory({ toolName: 'mastra_workspace_write_file' })).toBe('edit');
    expect(harness.getToolCategory({ toolName: 'mastra_workspace_execute_command' })).toBe('execute');
    expect(harness.getToolCategory({ toolName: 'mastra_workspace_grep' })).toBe('read');
    expect(harness.getToolCategory({ toolName: 'read' })).toBe(null);
    await harness.sendMessage({ content: 'Hi.' });
    await harness.switchMode({ modeId: 'build' });
    await harness.sendMessage({ content: 'Hi.' });
    for (const request of model.requests)
      expect(request.toolNames.slice(builtins.length).toSorted()).toEqual(names.toSorted());
  });

  it('are activity under their names in @mastra/core, too', async () => {
    const storage = new MemoryLog();
    const script = [
      [calls('mastra_workspace_read_file', { path: 'notes.txt' })],
      [calls('mastra_workspace_execute_command', { command: 'true' })],
      'Done.',
    ];
    const { harness } = scene(script, { storage, workspace: { root, tools: mastraToolNames }, ...yolo });
    await harness.sendMessage({ content: 'Go.' });
    const state = createActivityState();
    const events = await storage.read(String(harness.getCurrentThreadId()));
    const types = events.flatMap(event => projectActivity(state, event)).map(({ type }) => type);
    expect(types.filter(type => type !== 'agent')).toEqual(['read', 'command']);
  });

  it('follow the rules for their category', async () => {
    const script = [
      [calls('view', { path: 'notes.txt' })],
      [calls('write', { path: 'new.txt', content: 'x' })],
      'Done.',
    ];
    const { harness, on, of } = scene(script, { workspace: { root, tools: { read: { name: 'view' } } } });
    harness.setPermissionForCategory({ category: 'read', policy: 'allow' });
    const sending = harness.sendMessage({ content: 'Go.' });
    expect(await on('tool_approval_required')).toMatchObject({ toolName: 'write' });
    harness.respondToToolApproval({ decision: 'always_allow_category' });
    await sending;
    expect(of('tool_approval_required')).toHaveLength(1);
    expect([...harness.getSessionGrants().categories]).toEqual(['edit']);
    expect(readFileSync(join(root, 'new.txt'), 'utf8')).toBe('x');
  });

  it('have the categories that the tools themselves declare', async () => {
    const workspace = new Workspace({ root, skills: ['skills'], fetch: true });
    await workspace.init();
    for (const { name, category } of workspace.tools)
      expect([name, workspace.toolCategory(name)]).toEqual([name, category === 'network' ? 'other' : category]);
    expect(workspace.tools.map(({ name }) => name)).toEqual([...tools, 'fetch', 'skill']);
  });

  it('give way to a harness tool of the same name', async () => {
    const { harness, of } = scene([[calls('read', { value: 'a' })], 'Done.'], {
      workspace: { root },
      tools: { read: echo },
      ...yolo,
    });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_end')[0]?.result).toBe('a!');
  });

  it('load a skill only from where it is, not through a link to a file outside', async () => {
    const secret = join(base, 'secret.txt');
    writeFileSync(secret, 'SECRET');
    const { harness, of } = scene([[calls('skill', { skill: 'review' })], 'Done.'], {
      workspace: { root, skills: ['skills'] },
      ...yolo,
    });
    await harness.init();
    rmSync(join(root, 'skills/review/SKILL.md'));
    symlinkSync(secret, join(root, 'skills/review/SKILL.md'));
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_end')).toMatchObject([{ isError: true }]);
    expect(JSON.stringify(of('tool_end'))).not.toContain('SECRET');
  });
});

describe('a subagent', () => {
  it.each([
    ['all workspace tools and no harness tools by default', {}, ['own', ...tools]],
    [
      'only allowed workspace tools, by their exposed names',
      { allowedWorkspaceTools: ['view', 'grep'] },
      ['own', 'grep', 'view'],
    ],
    ['no workspace tools when none is allowed', { allowedWorkspaceTools: [] }, ['own']],
    [
      'allowed harness tools, too',
      { allowedWorkspaceTools: ['grep'], allowedHarnessTools: ['echo'] },
      ['own', 'echo', 'grep'],
    ],
  ])('is offered %s', async (_, allowed, expected) => {
    const server = await startScriptedServer({
      script: ({ messages }) =>
        messages.some(({ text }) => text.includes('Look around.')) || messages.some(({ role }) => role === 'tool')
          ? 'Found.'
          : [calls('subagent', { agentType: 'explore', task: 'Look.' })],
    });
    cleanups.push(() => server.close());
    const model = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'key' }).responses('gpt-5');
    const renamed = 'allowedWorkspaceTools' in allowed;
    const { harness } = watch(
      new Harness({
        id: 'h',
        modes: [{ id: 'main', agent: loopAgent({ id: 'main', model }) }],
        tools: { echo, other: echo },
        workspace: { root, ...(renamed && { tools: { read: { name: 'view' } } }) },
        subagents: [
          {
            id: 'explore',
            name: 'Explorer',
            description: 'looks',
            instructions: 'Look around.',
            tools: { own: echo },
            defaultModelId: 'openai/gpt-5',
            ...allowed,
          },
        ],
        resolveModel: () => model,
        ...yolo,
      }),
    );
    await harness.sendMessage({ content: 'Go.' });
    const child = server.requests.find(({ body }) => JSON.stringify(body).includes('Look around.'));
    const body = child?.body as { tools?: { name: string }[] } | undefined;
    const offered = body?.tools?.map(({ name }) => name);
    expect(offered?.toSorted()).toEqual(expected.toSorted());
  });
});

describe('a path outside the workspace', () => {
  const outside = join(base, 'outside.txt');
  const script = (count: number) => [
    ...Array.from({ length: count }, (_, index) => [calls('read', { path: '../outside.txt' }, `read-${index}`)]),
    'Done.',
  ];

  beforeEach(() => writeFileSync(outside, 'outside'));

  it('asks the person for access, which applies to that path until the thread is deleted', async () => {
    const steps = [...script(2).slice(0, 2), [calls('read', { path: '../outside.txt.key' }, 'key')], 'Done.'];
    writeFileSync(`${outside}.key`, 'KEY');
    const { harness, on, of } = scene(steps, { workspace: { root }, ...yolo });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { questionId, path, reason } = await on('sandbox_access_request');
    expect([path, reason]).toEqual([outside, 'read needs to read this file, outside the workspace.']);
    harness.respondToQuestion({ questionId, answer: 'Yes' });
    const second = await on('sandbox_access_request', 2);
    expect(second.path).toBe(`${outside}.key`);
    harness.respondToQuestion({ questionId: second.questionId, answer: 'No' });
    await sending;
    expect(of('tool_end').map(({ result }) => JSON.stringify(result))).toEqual([
      expect.stringContaining('outside.txt'),
      expect.stringContaining('outside.txt'),
      expect.stringContaining('not approved'),
    ]);
    expect(() => harness.respondToQuestion({ questionId, answer: 'Yes' })).toThrow(
      expect.objectContaining({ code: 'relay_resolved' }) as Error,
    );
  });

  it('is open to a second harness on the same storage once it was granted', async () => {
    const storage = new MemoryLog();
    const first = scene(script(1), { storage, workspace: { root }, ...yolo });
    const sending = first.harness.sendMessage({ content: 'Go.' });
    const { questionId } = await first.on('sandbox_access_request');
    first.harness.respondToQuestion({ questionId, answer: 'Yes' });
    await sending;
    await first.harness.destroy();
    const { harness, of } = scene(script(1), { storage, workspace: { root }, ...yolo });
    await harness.selectOrCreateThread();
    await harness.sendMessage({ content: 'Again.' });
    expect(of('sandbox_access_request')).toEqual([]);
    expect(of('tool_end')).toMatchObject([{ isError: false, result: { content: '1\toutside' } }]);
  });

  it('asks again after a restart while nobody has answered, and continues with the answer', async () => {
    const storage = new MemoryLog();
    const script = scriptByStep([[calls('read', { path: '../outside.txt' })], 'Done.']);
    const first = scene(script, { storage, workspace: { root }, ...yolo });
    const sending = first.harness.sendMessage({ content: 'Go.' });
    const asked = await first.on('sandbox_access_request');
    await first.harness.destroy();
    await sending.catch(() => {});
    const { harness, on, of } = scene(script, { storage, workspace: { root }, ...yolo });
    await harness.selectOrCreateThread();
    expect(await on('sandbox_access_request')).toEqual(asked);
    harness.respondToQuestion({ questionId: asked.questionId, answer: 'Yes' });
    await on('agent_end');
    expect(of('tool_end')).toMatchObject([{ isError: false, result: { content: '1\toutside' } }]);
  });

  it('is asked for in an imported thread whose events grant it', async () => {
    const runId = 'r';
    const params = { path: outside, kind: 'file', mode: 'read', reason: 'to read' };
    const events: AgentEvent[] = [
      { type: 'user', runId: 'asked', content: 'Go.' },
      { type: 'harness_start', runId, agentId: 'main', parentId: 'asked:user' },
      { type: 'tool_call', runId, id: 'r/1', name: 'read', input: { path: outside } },
      { type: 'relay', runId, id: 'r/q1', relayKind: 'access', toolCallId: 'r/1', params },
      { type: 'relay_resolved', runId, relayId: 'r/q1', outcome: 'approve', remember: 'thread' },
      { type: 'harness_end', runId, agentId: 'main', reason: 'complete' },
    ];
    const storage = new MemoryLog();
    const lines = events.map(event => `${JSON.stringify(event)}\n`);
    const { id: threadId } = await importThread(storage, lines);
    const { harness, on } = scene(script(1), { storage, workspace: { root }, ...yolo });
    await harness.switchThread({ threadId });
    const sending = harness.sendMessage({ content: 'Again.' });
    expect(await on('sandbox_access_request')).toMatchObject({ path: outside });
    harness.abort();
    await sending;
  });

  it('asks the person when a subagent names it', async () => {
    const child = scriptedModel([[calls('read', { path: '../outside.txt' })], 'Found.'], { modelId: 'small' });
    const { harness, on, of } = scene([[calls('subagent', { agentType: 'explore', task: 'Look.' })], 'Done.'], {
      workspace: { root },
      subagents: [
        { id: 'explore', name: 'Explorer', description: 'looks', instructions: 'Look.', defaultModelId: 'a/small' },
      ],
      resolveModel: () => child,
      ...yolo,
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    const { questionId, path } = await on('sandbox_access_request');
    expect(path).toBe(outside);
    harness.respondToQuestion({ questionId, answer: ['Allow'] });
    await sending;
    expect(of('subagent_tool_end')).toMatchObject([{ subToolName: 'read', isError: false }]);
  });

  it('is refused without asking when the workspace refuses it', async () => {
    const { harness, of } = scene(script(1), { workspace: { root, outside: 'refuse' }, ...yolo });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('sandbox_access_request')).toEqual([]);
    expect(of('tool_end')).toMatchObject([{ isError: true }]);
  });
});

describe('the methods of a workspace', () => {
  it('read and write files and run commands in the folder', async () => {
    const workspace = new Workspace({ root, env: { GREETING: 'hi' } });
    await expect(workspace.readFile('notes.txt')).rejects.toMatchObject({ code: 'workspace_unavailable' });
    await Promise.all([workspace.init(), workspace.init()]);
    await workspace.writeFile('deep/new.txt', 'new');
    expect(await workspace.readFile('deep/new.txt')).toBe('new');
    expect(await workspace.executeCommand('echo $GREETING; pwd; exit 3')).toEqual({
      exitCode: 3,
      output: `hi\n${root}\n`,
      timedOut: false,
    });
    await expect(workspace.readFile('../secret.txt')).rejects.toThrow('outside');
    await workspace.destroy();
    await expect(workspace.readFile('notes.txt')).rejects.toMatchObject({ code: 'workspace_unavailable' });
    await expect(workspace.init()).rejects.toMatchObject({ code: 'workspace_unavailable' });
  });
});
