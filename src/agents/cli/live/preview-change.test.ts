import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workspace } from '../../workspace/workspace-folder.ts';
import { previewChange } from './preview-change.ts';

const root = mkdtempSync(join(tmpdir(), 'singletree-preview-'));
beforeAll(() => writeFileSync(join(root, 'a.txt'), ['1', '2', '3', '4', '5', '6', 'twin', 'twin', ''].join('\n')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const preview = (agentId: string, name: string, input: object) =>
  previewChange({ agentId, name, input }, workspace(root, { outside: 'ask' }));
const edited = '--- a.txt\n+++ a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n twin\n twin\n';

describe('the change that an external agent asks about', () => {
  it.each([
    ['claude', 'Edit', { file_path: 'a.txt', old_string: '5', new_string: 'five' }],
    ['pi', 'edit', { path: 'a.txt', edits: [{ oldText: '5', newText: 'five' }] }],
    ['goose', 'edit', { path: 'a.txt', before: '5', after: 'five' }],
    ['goose', 'developer__text_editor', { command: 'str_replace', path: 'a.txt', old_str: '5', new_str: 'five' }],
    ['cline', 'editor', { path: 'a.txt', old_text: '5', new_text: 'five' }],
    ['cline', 'replace_in_file', { path: 'a.txt', diff: '------- SEARCH\n5\n=======\nfive\n+++++++ REPLACE' }],
    ['opencode', 'edit', { filePath: 'a.txt', oldString: '5', newString: 'five' }],
    ['gemini', 'replace', { file_path: 'a.txt', old_string: '5', new_string: 'five' }],
    ['antigravity', 'replace_file_content', { TargetFile: 'a.txt', TargetContent: '5', ReplacementContent: 'five' }],
  ])('has the lines around it and their numbers: %s %s', async (agentId, name, input) => {
    expect(await preview(agentId, name, input)).toBe(edited);
  });

  it('shows a new file, and what takes the place of a whole one', async () => {
    const made = '--- /dev/null\n+++ b.txt\n@@ -0,0 +1,1 @@\n+hi\n';
    expect(await preview('claude', 'Write', { file_path: 'b.txt', content: 'hi\n' })).toBe(made);
    expect(await preview('cline', 'editor', { path: 'b.txt', new_text: 'hi\n' })).toBe(made);
    expect(await preview('pi', 'write', { path: 'a.txt', content: '1\n' })).toContain('@@ -1,8 +1,1 @@\n 1\n-2\n');
  });

  it('is missing where it cannot be known: another text, an ambiguous one, a file outside of the folder', async () => {
    const edit = (path: string, old_string: string) =>
      preview('claude', 'Edit', { file_path: path, old_string, new_string: 'x' });
    expect([await edit('a.txt', 'absent'), await edit('a.txt', 'twin'), await edit('/etc/hostname', 'a')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await preview('claude', 'Bash', { command: 'ls' })).toBeUndefined();
  });
});
