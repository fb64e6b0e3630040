import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventOf } from '../../../events/vocabulary.ts';
import { loopAgent } from '../../loop/loop-agent.ts';
import { scriptedModel } from '../../model/scripted/scripted-model.ts';
import type { PermissionRuleSet } from '../../contract/permissions.ts';
import { presentRelay } from '../../../projections/presentation/present-relay.ts';
import { workspaceTools } from '../workspace-tools.ts';

const root = mkdtempSync(join(tmpdir(), 'singletree-edit-'));
const file = join(root, 'a.txt');
beforeEach(() => writeFileSync(file, 'one\ntwo\nthree\ntwin\ntwin\n'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Edits a file with rules under which a person is asked, who approves; returns what was asked and what came of it. */
const edit = (input: object, permissions?: PermissionRuleSet) => call('edit', { path: 'a.txt', ...input }, permissions);

/** Calls a tool as `edit` does, after the file was read where `isRead`. */
async function call(
  name: string,
  input: object,
  permissions: PermissionRuleSet = { rules: [{ tool: 'read', policy: 'allow' }] },
  isRead = false,
) {
  const read = [[{ toolCall: { name: 'read', input: { path: 'a.txt' } } }]];
  const agent = loopAgent({
    model: scriptedModel([...(isRead ? read : []), [{ toolCall: { name, input } }], 'Done.']),
    tools: workspaceTools(root),
    permissions,
  });
  const asked: EventOf<'relay'>[] = [];
  const outputs: unknown[] = [];
  const wait = async (relayId: string) => ({ relayId, outcome: 'approve' as const });
  const messages = [{ role: 'user' as const, content: 'Go.' }];
  const { signal } = new AbortController();
  for await (const event of agent.invoke({
    run: { runId: 'run', signal },
    conversation: { messages },
    host: { answers: { wait } },
  })) {
    if (event.type === 'relay') asked.push(event);
    if (event.type === 'tool_result') outputs.push(event.output);
  }
  return { asked, outputs };
}

describe('an edit that a person is asked about', () => {
  it('shows the lines around the change with their numbers, and then makes it', async () => {
    const { asked } = await edit({ old_string: 'two', new_string: '2' });
    expect(asked).toMatchObject([
      { diff: '--- a.txt\n+++ a.txt\n@@ -1,5 +1,5 @@\n one\n-two\n+2\n three\n twin\n twin\n' },
    ]);
    expect(readFileSync(file, 'utf8')).toBe('one\n2\nthree\ntwin\ntwin\n');
  });

  it.each([
    ['absent', 'a.txt was not changed: old_string does not occur in it. Read the file and copy the text exactly.'],
    [
      'twin',
      'a.txt was not changed: old_string occurs 2 times. Add lines around it until it is unique, or set replace_all.',
    ],
  ])('fails before anybody is asked when it cannot be made: %s', async (old_string, error) => {
    expect(await edit({ old_string, new_string: 'x' })).toEqual({ asked: [], outputs: [{ error }] });
  });

  it('reads no file before the answer that a rule guards by its path', async () => {
    const guarded: PermissionRuleSet = { rules: [{ tool: 'edit', input: { path: 'a.txt' }, policy: 'ask' }] };
    const { asked } = await edit({ old_string: 'absent', new_string: 'x' }, guarded);
    expect(asked).toHaveLength(1);
    expect(asked[0]).not.toHaveProperty('diff');
  });
});

describe('a write that a person is asked about', () => {
  it('shows the lines that differ from the file it replaces', async () => {
    const input = { path: 'a.txt', content: 'one\n2\nthree\ntwin\ntwin\n' };
    const { asked } = await call('write', input, undefined, true);
    expect(asked).toMatchObject([
      { diff: '--- a.txt\n+++ a.txt\n@@ -1,5 +1,5 @@\n one\n-two\n+2\n three\n twin\n twin\n' },
    ]);
    expect(readFileSync(file, 'utf8')).toBe(input.content);
  });

  it('shows a file that is not text, and a new one, as it is written', async () => {
    writeFileSync(file, Buffer.from([0x66, 0xff, 0x00, 0x0a]));
    const binary = await call('write', { path: 'a.txt', content: 'text\n' }, undefined, true);
    const created = await call('write', { path: 'new.txt', content: 'text\n' });
    for (const { asked } of [binary, created]) {
      expect(asked).toHaveLength(1);
      expect(asked[0]).not.toHaveProperty('diff');
    }
  });

  it('fails before anybody is asked when the file was not read', async () => {
    const error = 'a.txt exists and was not read. Read it before you replace it.';
    expect(await call('write', { path: 'a.txt', content: 'x' })).toEqual({ asked: [], outputs: [{ error }] });
  });
});

describe('a patch that a person is asked about', () => {
  const patch = (...lines: string[]) => ({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

  it('shows what it changes, adds, moves and deletes, with the numbers of lines', async () => {
    for (const name of ['moved.txt', 'renamed.txt', 'gone.txt']) writeFileSync(join(root, name), 'line\n');
    const { asked } = await call(
      'patch',
      patch(
        '*** Update File: a.txt',
        '@@',
        ' one',
        '-two',
        '+2',
        '*** Add File: added.txt',
        '+first',
        '*** Update File: moved.txt',
        '*** Move to: there.txt',
        '*** Update File: renamed.txt',
        '*** Move to: other.txt',
        '@@',
        '-line',
        '+changed',
        '*** Delete File: gone.txt',
      ),
    );
    const diff = [
      '--- a.txt\n+++ a.txt\n@@ -1,5 +1,5 @@\n one\n-two\n+2\n three\n twin\n twin\n',
      '--- /dev/null\n+++ added.txt\n@@ -0,0 +1,1 @@\n+first\n',
      '--- moved.txt\n+++ there.txt\n',
      '--- renamed.txt\n+++ other.txt\n@@ -1,1 +1,1 @@\n-line\n+changed\n',
      '--- gone.txt\n+++ /dev/null\n',
    ];
    expect(asked).toMatchObject([{ diff: diff.join('') }]);
    const [relay] = asked;
    if (relay?.relayKind !== 'permission') throw new Error('It asked something else.');
    expect(presentRelay(relay)).toMatchObject({
      changes: [
        { path: 'a.txt', action: 'update' },
        { path: 'added.txt', action: 'add' },
        { path: 'moved.txt', moveTo: 'there.txt' },
        { path: 'renamed.txt', moveTo: 'other.txt' },
        { path: 'gone.txt', action: 'delete' },
      ],
      risks: ['deletes gone.txt'],
      fields: [],
    });
    expect(readFileSync(join(root, 'other.txt'), 'utf8')).toBe('changed\n');
  });

  it('fails before anybody is asked when it does not fit', async () => {
    const { asked, outputs } = await call('patch', patch('*** Update File: a.txt', '@@', '-absent', '+x'));
    expect(asked).toEqual([]);
    expect(outputs).toMatchObject([{ error: expect.stringContaining('Nothing was changed') as string }]);
  });
});
