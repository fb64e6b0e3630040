import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { foldRun } from '../../projections/run-state.ts';
import type { RelayAnswer } from '../contract/host.ts';
import type { ModelScript } from '../model/scripted/script.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import { workspaceTools } from '../tools/workspace-tools.ts';
import { workspace } from '../workspace/workspace-folder.ts';
import { loopAgent } from './loop-agent.ts';
import { runParams, type SetParams } from '../../../test/support/run-params.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-access-')));
const outside = join(base, 'outside');
const note = join(outside, 'note.txt');

afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(base, { recursive: true, force: true });
  mkdirSync(join(base, 'root'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(note, 'a note');
  writeFileSync(join(outside, 'other.txt'), 'another');
  symlinkSync(outside, join(base, 'root/away'));
});

const call = (name: string, input: object) => ({ toolCall: { name, input } });

/** Plays a run in which each request for access is answered by `answer`; undefined leaves it open and ends the run. */
async function play(
  script: ModelScript,
  answer: (relay: EventOf<'relay'>) => Partial<RelayAnswer> | undefined,
  params: SetParams = {},
) {
  const agent = loopAgent({
    model: scriptedModel(script),
    tools: workspaceTools(workspace(join(base, 'root'), { outside: 'ask' })),
    permissions: { default: 'allow', rules: [{ tool: 'read', input: { path: `${outside}/secret*` }, policy: 'deny' }] },
  });
  const events: AgentEvent[] = [];
  const answers = new Map<string, EventOf<'relay_resolved'>>();
  const wait = async (relayId: string) => answers.get(relayId) ?? new Promise<never>(() => {});
  const given = runParams({ ...params, host: { answers: { wait }, ...params.host } });
  for await (const event of agent.invoke(given)) {
    events.push(event);
    if (event.type !== 'relay') continue;
    const answered = answer(event);
    if (answered === undefined) break;
    const resolved = { outcome: 'approve' as const, ...answered };
    const settled: EventOf<'relay_resolved'> = {
      ...resolved,
      type: 'relay_resolved',
      runId: event.runId,
      relayId: event.id,
    };
    answers.set(event.id, settled);
    events.push(settled);
  }
  const of = <Type extends AgentEvent['type']>(type: Type) =>
    events.filter((event): event is EventOf<Type> => event.type === type);
  return { events, asked: of('relay'), outputs: of('tool_result').map(({ output }) => output) };
}

const approve = () => ({ remember: 'thread' as const });

describe('a call that names a path outside the workspace', () => {
  it('asks for access to the resolved path before it starts, and opens it', async () => {
    const { events, asked, outputs } = await play([[call('read', { path: 'away/note.txt' })], 'Done.'], approve);
    expect(asked).toMatchObject([
      {
        relayKind: 'access',
        params: {
          path: note,
          kind: 'file',
          mode: 'read',
          reason: 'read needs to read this file, outside the workspace.',
        },
      },
    ]);
    expect(outputs).toMatchObject([{ context: '1\ta note' }]);
    const types = events.map(({ type }) => type).filter(type => type === 'relay' || type === 'tool_start');
    expect(types).toEqual(['relay', 'tool_start']);
  });

  it('is denied when the person refuses, or when nobody can be asked', async () => {
    const script = [[call('read', { path: note })], 'Done.'];
    const refused = await play(script, () => ({ outcome: 'reject', feedback: 'It is private.' }));
    expect(refused.outputs).toEqual([
      {
        status: 'denied',
        reason: `Access to ${note}, which is outside the workspace, was not granted. It is private.`,
      },
    ]);
    const unasked = await play(script, approve, { host: { answers: undefined as never } });
    expect(unasked.asked).toEqual([]);
    expect(unasked.outputs).toMatchObject([{ status: 'denied' }]);
  });

  it('asks again for another path, for writing, and after access for once', async () => {
    const script = [
      [call('read', { path: note })],
      [call('read', { path: note })],
      [call('read', { path: join(outside, 'other.txt') })],
      [call('edit', { path: note, old_string: 'a note', new_string: 'changed' })],
      'Done.',
    ];
    const asked = (given: typeof approve) =>
      play(script, given).then(played => played.asked.map(relay => 'params' in relay && relay.params));
    const path = join(outside, 'other.txt');
    expect(await asked(approve)).toMatchObject([{ path: note, mode: 'read' }, { path }, { path: note, mode: 'write' }]);
    expect(readFileSync(note, 'utf8')).toBe('changed');
    writeFileSync(note, 'a note');
    expect(await asked(() => ({ remember: 'once' }) as never)).toHaveLength(4);
  });

  it('asks once when parallel calls name the same path', async () => {
    const { asked, outputs } = await play(
      [[call('read', { path: note }), call('read', { path: 'away/note.txt' })], 'Done.'],
      approve,
    );
    expect(asked).toHaveLength(1);
    expect(outputs).toMatchObject([{ context: '1\ta note' }, { context: '1\ta note' }]);
  });

  it('is denied by a rule on the resolved path, without asking', async () => {
    writeFileSync(join(outside, 'secret.txt'), 'SECRET');
    const { asked, outputs } = await play([[call('read', { path: 'away/secret.txt' })], 'Done.'], approve);
    expect([asked, outputs]).toMatchObject([[], [{ status: 'denied' }]]);
  });

  it('continues after a restart with the answer that was given meanwhile, and asks nothing again', async () => {
    const before = await play([[call('read', { path: note })], 'Done.'], () => undefined);
    const [relay] = before.asked as [EventOf<'relay'>];
    const answer: EventOf<'relay_resolved'> = {
      type: 'relay_resolved',
      runId: 'run',
      relayId: relay.id,
      outcome: 'approve',
    };
    const resume = foldRun([...before.events, answer], 'run');
    const after = await play(['Done.'], approve, { run: { resume } });
    expect(after.asked).toEqual([]);
    expect(after.outputs).toMatchObject([{ context: '1\ta note' }]);
  });

  it('has access that an earlier run was granted for the thread, and searches a granted folder', async () => {
    const granted = (params: Record<string, unknown>, remember: 'once' | 'thread') => ({
      relay: { type: 'relay', runId: 'earlier', id: 'q', relayKind: 'access', params } as EventOf<'relay'>,
      answer: { type: 'relay_resolved', runId: 'earlier', relayId: 'q', outcome: 'approve', remember } as const,
    });
    const params = { path: outside, kind: 'folder', mode: 'read' };
    const script = [
      [call('grep', { pattern: 'note', path: 'away' })],
      [call('glob', { pattern: '*', path: outside })],
      'Done.',
    ];
    const earlier = await play(script, approve, { conversation: { decided: [granted(params, 'thread')] } });
    expect(earlier.asked).toEqual([]);
    expect(earlier.outputs).toMatchObject([
      { result: { matches: 1 } },
      { result: { files: [note, join(outside, 'other.txt')] } },
    ]);
    const once = await play(script, approve, { conversation: { decided: [granted(params, 'once')] } });
    expect(once.asked).toHaveLength(1);
  });
});
