import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventOf } from '../../../events/index.ts';
import { loopAgent } from '../../loop/loop-agent.ts';
import { scriptedModel } from '../../model/scripted/scripted-model.ts';
import type { PermissionRuleSet } from '../../permissions/index.ts';
import { workspaceTools } from '../index.ts';

const root = mkdtempSync(join(tmpdir(), 'singletree-edit-'));
const file = join(root, 'a.txt');
beforeEach(() => writeFileSync(file, 'one\ntwo\nthree\ntwin\ntwin\n'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Edits a file with rules under which a person is asked, who approves; returns what was asked and what came of it. */
async function edit(input: object, permissions: PermissionRuleSet = { rules: [] }) {
  const agent = loopAgent({
    model: scriptedModel([[{ toolCall: { name: 'edit', input: { path: 'a.txt', ...input } } }], 'Done.']),
    tools: workspaceTools(root),
    permissions,
  });
  const asked: EventOf<'relay'>[] = [];
  const outputs: unknown[] = [];
  const wait = async (relayId: string) => ({ relayId, outcome: 'approve' as const });
  const messages = [{ role: 'user' as const, content: 'Go.' }];
  const { signal } = new AbortController();
  for await (const event of agent.invoke({ runId: 'run', messages, signal, answers: { wait } })) {
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
