import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import type { Activity } from '../../projections/activity/activity.ts';
import { createActivityState, projectActivity } from '../../projections/activity/project-activity.ts';
import type { RelayAnswer } from '../contract/host.ts';
import { loopAgent } from '../loop/loop-agent.ts';
import type { ScriptedTurn } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import { decide } from '../permissions/decide.ts';
import type { PermissionRuleSet } from '../contract/permissions.ts';
import { workspacePermissions, workspaceTools } from './workspace-tools.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-loop-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const turn = (name: string, input: object): ScriptedTurn => [{ toolCall: { name, input } }];

/** Runs the turns one after another and returns every event. */
async function run(turns: ScriptedTurn[], permissions: PermissionRuleSet, outcome?: RelayAnswer['outcome']) {
  const agent = loopAgent({ model: scriptedModel([...turns, 'Done.']), tools: workspaceTools(root), permissions });
  const events: AgentEvent[] = [];
  const answers = { wait: async (relayId: string) => ({ relayId, outcome: outcome ?? 'approve' }) as RelayAnswer };
  const messages = [{ role: 'user' as const, content: 'Go.' }];
  const signal = new AbortController().signal;
  for await (const event of agent.invoke({
    run: { runId: 'run', signal },
    conversation: { messages },
    host: { ...(outcome && { answers }) },
  }))
    events.push(event);
  expect(checkOrder(events)).toEqual([]);
  return events;
}

function activityOf(events: readonly AgentEvent[]): Activity[] {
  const state = createActivityState();
  return events.flatMap(event => projectActivity(state, event)).filter(({ type }) => type !== 'agent');
}

const allowAll: PermissionRuleSet = { default: 'allow', rules: [] };

describe('the tools of a workspace', () => {
  it('have names, categories and a shell for permission rules', () => {
    expect(workspaceTools(root, { fetch: true }).map(({ name, category, shell }) => [name, category, shell])).toEqual([
      ['read', 'read', undefined],
      ['list', 'read', undefined],
      ['glob', 'read', undefined],
      ['grep', 'read', undefined],
      ['edit', 'edit', undefined],
      ['write', 'edit', undefined],
      ['patch', 'edit', undefined],
      ['bash', 'execute', true],
      ['fetch', 'network', undefined],
    ]);
    expect(workspaceTools(root, { fetch: {} })).toHaveLength(9);
    expect(workspaceTools(root)).toHaveLength(8);
  });

  it('are read without asking; everything else is asked', () => {
    const policies = workspaceTools(root, { fetch: true }).map(({ name, category = '' }) => [
      name,
      decide({ rules: workspacePermissions }, { tool: name, category, input: {} }).policy,
    ]);
    expect(Object.fromEntries(policies)).toEqual({
      read: 'allow',
      list: 'allow',
      glob: 'allow',
      grep: 'allow',
      edit: 'ask',
      write: 'ask',
      patch: 'ask',
      bash: 'ask',
      fetch: 'ask',
    });
  });

  it('are reported as activity, with their ranges, files, exit codes and parsed command lines', async () => {
    writeFileSync(join(root, 'a.txt'), 'one\ntwo\nthree\n');
    const patch =
      '*** Begin Patch\n*** Add File: c.txt\n+c\n*** Update File: a.txt\n*** Move to: d.txt\n@@\n-one\n+1\n*** End Patch';
    const events = await run(
      [
        turn('read', { path: 'a.txt', offset: 2, limit: 1 }),
        turn('read', { path: 'a.txt' }),
        turn('edit', { path: 'a.txt', old_string: 'two', new_string: '2' }),
        turn('write', { path: 'b.txt', content: 'b' }),
        turn('patch', { patch }),
        turn('list', {}),
        turn('list', { path: '..' }),
        turn('glob', { pattern: '*.txt' }),
        turn('grep', { pattern: 'b', path: 'b.txt' }),
        turn('bash', { command: 'exit 3', workdir: '.' }),
        turn('bash', { command: 'sed -n 1,2p d.txt' }),
        turn('bash', { command: 'ls' }),
      ],
      allowAll,
    );
    expect(activityOf(events)).toEqual(
      [
        { type: 'read', path: 'a.txt', startLine: 2, endLine: 2, isSuccess: true },
        { type: 'read', path: 'a.txt', isSuccess: true },
        { type: 'write', path: 'a.txt', isSuccess: true },
        { type: 'write', path: 'b.txt', isSuccess: true },
        { type: 'write', path: 'c.txt', isSuccess: true },
        { type: 'write', path: 'a.txt', isSuccess: true },
        { type: 'write', path: 'd.txt', isSuccess: true },
        { type: 'list', isSuccess: true },
        { type: 'list', path: '..', isSuccess: false },
        { type: 'search', query: '*.txt', isSuccess: true },
        { type: 'search', query: 'b', path: 'b.txt', isSuccess: true },
        { type: 'command', command: 'exit 3', workingDirectory: '.', exitCode: 3, isSuccess: false },
        { type: 'read', path: 'd.txt', startLine: 1, endLine: 2, isSuccess: true },
        { type: 'list', path: '.', isSuccess: true },
      ].map(operation => ({ timestamp: '', ...operation })),
    );
    expect(readFileSync(join(root, 'd.txt'), 'utf8')).toBe('1\n2\nthree\n');
  });

  it('are unknown activity when they go to the network, as web tools are', () => {
    const call = {
      type: 'tool_call' as const,
      runId: 'run',
      id: 'run/1',
      name: 'fetch',
      input: { url: 'https://x.org' },
    };
    const result = { type: 'tool_result' as const, runId: 'run', id: 'run/1', name: 'fetch' };
    const unknown = { type: 'unknown', timestamp: '' };
    expect(activityOf([call, { ...result, output: { context: 'page' } }])).toEqual([{ ...unknown, raw: call }]);
    const output = { error: 'no network' };
    expect(activityOf([call, { ...result, output }])).toEqual([{ ...unknown, raw: { ...call, output } }]);
  });

  it('return errors that the model can read', async () => {
    const events = await run([turn('read', { path: '/etc/passwd' }), turn('read', {})], allowAll);
    expect(events.flatMap(event => (event.type === 'tool_result' ? [event.output] : []))).toEqual([
      { error: '"/etc/passwd" is outside the workspace. Use a path inside it, relative to its root.' },
      { error: expect.stringContaining('The input is not valid: path') },
    ]);
  });

  it('ask a person before they change something, by command rules too', async () => {
    const rules = {
      ...workspacePermissions,
      rules: [...workspacePermissions.rules, { command: 'echo *', policy: 'allow' as const }],
    };
    const turns = [turn('write', { path: 'asked.txt', content: 'x' }), turn('bash', { command: 'echo hi' })];
    const outputs = (await run([...turns, turn('bash', { command: 'touch x' })], rules, 'reject')).flatMap(event =>
      event.type === 'tool_result' ? [event.output] : [],
    );
    expect(outputs).toMatchObject([{ status: 'denied' }, { context: 'hi' }, { status: 'denied' }]);
    expect((await run(turns, rules, 'approve')).filter(({ type }) => type === 'relay')).toHaveLength(1);
    expect(readFileSync(join(root, 'asked.txt'), 'utf8')).toBe('x');
  });
});
