import { describe, expect, it } from 'vitest';
import { changesOfDiff } from './diff-changes.ts';
import { listFileChanges } from './file-changes.ts';

const patch = [
  '*** Begin Patch',
  '*** Update File: a.ts',
  '*** Move to: b.ts',
  '@@ function a',
  ' one',
  '-two',
  '+three',
  '*** Add File: c.ts',
  '+new',
  '*** Delete File: d.ts',
  '*** End Patch',
].join('\n');

describe('the changes of a call', () => {
  it.each([
    [
      'of our edit tool, with the line that it reported',
      {
        agentId: 'coder',
        name: 'edit',
        input: { path: 'a.ts', old_string: 'x', new_string: '' },
        output: { context: 'Edited', result: { path: 'a.ts', line: 7 } },
      },
      [{ path: 'a.ts', action: 'update', edits: [{ before: 'x', after: '', line: 7 }] }],
    ],
    [
      'of Claude Code, with the line numbers of its result',
      {
        agentId: 'claude',
        name: 'Edit',
        input: { file_path: '/p/a.ts', old_string: 'x', new_string: 'y' },
        output: { context: 'ok', result: { patch: '@@ -7,2 +7,2 @@\n-x\n+y\n z' } },
      },
      [{ path: '/p/a.ts', action: 'update', patch: '@@ -7,2 +7,2 @@\n-x\n+y\n z' }],
    ],
    [
      'of OpenCode for several files, with the line numbers of its result',
      {
        agentId: 'opencode',
        name: 'apply_patch',
        input: {
          patchText:
            '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n-x\n+y\n*** Add File: c.ts\n+c\n*** Update File: d.ts\n@@\n-1\n+2\n*** End Patch',
        },
        output: {
          context: 'ok',
          result: {
            patch: [
              'Index: /p/a.ts\n=====\n--- /p/a.ts\n+++ /p/a.ts\n@@ -3,1 +3,1 @@\n-x\n+y\n',
              'Index: /p/c.ts\n=====\n--- /p/c.ts\n+++ /p/c.ts\n@@ -0,0 +1,1 @@\n+c\n',
              'Index: /p/d.ts\n=====\n--- /p/d.ts\n+++ /p/d.ts\n@@ -9,1 +9,1 @@\n-1\n+2\n',
            ].join('\n'),
          },
        },
      },
      [
        { path: 'a.ts', action: 'update', moveTo: 'b.ts', patch: '@@ -3,1 +3,1 @@\n-x\n+y' },
        { path: 'c.ts', action: 'add', content: 'c\n' },
        { path: 'd.ts', action: 'update', patch: '@@ -9,1 +9,1 @@\n-1\n+2' },
      ],
    ],
    [
      'of a written file',
      { name: 'write', input: { path: 'a.ts', content: '' }, output: { context: 'ok', result: { created: true } } },
      [{ path: 'a.ts', action: 'add', content: '' }],
    ],
    [
      'of a patch',
      { name: 'patch', input: { patch } },
      [
        { path: 'a.ts', action: 'update', moveTo: 'b.ts', patch: '@@ function a\n one\n-two\n+three' },
        { path: 'c.ts', action: 'add', content: 'new\n' },
        { path: 'd.ts', action: 'delete' },
      ],
    ],
    [
      'of several edits by Claude Code',
      {
        agentId: 'claude',
        name: 'MultiEdit',
        input: {
          file_path: '/p/a.ts',
          edits: [
            { old_string: 'a', new_string: 'b' },
            { old_string: 'c', new_string: 'd' },
          ],
        },
      },
      [
        {
          path: '/p/a.ts',
          action: 'update',
          edits: [
            { before: 'a', after: 'b' },
            { before: 'c', after: 'd' },
          ],
        },
      ],
    ],
    [
      'of Codex, with and without a diff',
      {
        agentId: 'codex',
        name: 'file_change',
        input: {
          changes: [
            { path: '/p/a.ts', kind: 'update', diff: '@@ -1 +1 @@\n-a\n+b\n' },
            { path: '/p/b.ts', kind: 'add', diff: 'new\n' },
            { path: '/p/c.ts', kind: 'delete' },
          ],
        },
      },
      [
        { path: '/p/a.ts', action: 'update', patch: '@@ -1 +1 @@\n-a\n+b' },
        { path: '/p/b.ts', action: 'add', content: 'new\n' },
        { path: '/p/c.ts', action: 'delete' },
      ],
    ],
    [
      'of OpenCode',
      { agentId: 'opencode', name: 'edit', input: { filePath: '/p/a.ts', oldString: 'a', newString: 'b' } },
      [{ path: '/p/a.ts', action: 'update', edits: [{ before: 'a', after: 'b' }] }],
    ],
    ['that changes no files', { name: 'bash', input: { command: 'make' } }, []],
    ['whose input is not understood', { name: 'edit', input: 'x' }, []],
  ])('are known: one %s', (_, call, changes) => expect(listFileChanges(call)).toEqual(changes));
});

describe('a unified diff', () => {
  it('is split by file', () => {
    const diff = [
      'diff --git a/x.ts b/x.ts',
      '--- a/x.ts',
      '+++ b/x.ts',
      '@@ -1 +1 @@',
      '-a',
      '+b',
      '--- /dev/null',
      '+++ y.ts',
      '@@ -0,0 +1 @@',
      '+c',
      '',
    ].join('\n');
    expect(changesOfDiff(diff)).toEqual([
      { path: 'x.ts', action: 'update', patch: '@@ -1 +1 @@\n-a\n+b' },
      { path: 'y.ts', action: 'add', patch: '@@ -0,0 +1 @@\n+c' },
    ]);
  });
});
