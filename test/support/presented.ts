import type { EventOf } from '../../src/events/index.ts';
import type { RelayEntry, ToolPart } from '../../src/projections/index.ts';

/** The folder in which the agents of these tables work. */
export const presentedFolder = '/home/me/app';

type Asked =
  EventOf<'relay'> extends infer Relay ? (Relay extends unknown ? Omit<Relay, 'type' | 'runId' | 'id'> : never) : never;

/** What agents ask, and the whole text that a person reads of it at a terminal. */
export const presentedRelays: readonly (readonly [agentId: string, relay: Asked, text: readonly string[]])[] = [
  [
    'coder',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'bash',
      params: { command: 'rm -rf src && git push --force' },
      category: 'execute',
    },
    [
      '? Run this command? (bash)',
      '  ! deletes src; overwrites commits of the remote',
      '  $ rm -rf src && git push --force',
    ],
  ],
  [
    'coder',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'bash',
      params: { command: 'echo a > b', timeout: 9 },
      category: 'execute',
    },
    ['? Run this command? (bash)', '  $ echo a > b', '  timeout: 9'],
  ],
  [
    'coder',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'edit',
      params: { path: 'a.ts', old_string: 'x', new_string: 'y' },
      category: 'edit',
      diff: '--- a.ts\n+++ a.ts\n@@ -11,3 +11,3 @@\n before\n-x\n+y\n after\n',
    },
    ['? Edit a.ts? (edit)', '    ⋮ line 11', '    before', '  - x', '  + y', '    after'],
  ],
  [
    'coder',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'write',
      params: { path: '/home/me/app/new.ts', content: 'one\ntwo\n' },
      category: 'edit',
    },
    ['? Write new.ts? (write)', '  + one', '  + two'],
  ],
  [
    'coder',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'write',
      params: { path: '/etc/hosts', content: 'one\n' },
      category: 'edit',
    },
    ['? Write /etc/hosts? (write)', '  ! writes /etc/hosts', '  + one'],
  ],
  [
    'coder',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'patch',
      params: { patch: '*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Delete File: b.ts\n*** End Patch' },
      category: 'edit',
    },
    ['? Make this change? (patch)', '  ! deletes b.ts', '  a.ts', '  - x', '  + y', '  b.ts (deleted)'],
  ],
  [
    'coder',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'read',
      params: { path: '/home/me/app/a.ts', offset: 3, limit: 2 },
      category: 'read',
      personOnly: true,
    },
    [
      '? Read a.ts:3-4? (read)',
      '  ! a rule that denies may be meant for it',
      '  path: /home/me/app/a.ts',
      '  offset: 3',
      '  limit: 2',
    ],
  ],
  [
    'claude',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'Bash',
      params: { command: 'npm test', description: 'Run the tests' },
      command: 'npm test',
      reason: 'Run the tests',
      category: 'execute',
    },
    ['? Run this command? (Bash)', '  $ npm test', '  because: Run the tests'],
  ],
  [
    'claude',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'Edit',
      params: { file_path: '/home/me/app/a.ts', old_string: 'x\ny', new_string: 'x\nz' },
    },
    ['? Edit a.ts? (Edit)', '    x', '  - y', '  + z'],
  ],
  [
    'codex',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'command_execution',
      params: { command: "/bin/bash -lc 'touch made'" },
      command: 'touch made',
      answers: ['approve', 'reject'],
    },
    ['? Run this command? (command_execution)', '  $ touch made'],
  ],
  [
    'codex',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'file_change',
      params: { changes: [{ path: '/home/me/app/gone.ts', kind: 'delete' }] },
      diff: '--- /home/me/app/gone.ts\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n',
    },
    ['? Delete gone.ts? (file_change)', '  ! deletes gone.ts', '  - x'],
  ],
  [
    'pi',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'edit',
      params: { path: 'a.ts', edits: [{ oldText: 'x', newText: 'y' }] },
    },
    ['? Edit a.ts? (edit)', '  - x', '  + y'],
  ],
  [
    'goose',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'developer__edit',
      params: { path: 'a.ts', before: 'x', after: 'y' },
    },
    ['? Edit a.ts? (developer__edit)', '  - x', '  + y'],
  ],
  [
    'goose',
    { relayKind: 'permission', toolCallId: 'c', tool: 'developer__shell', params: { command: 'ls | xargs rm' } },
    ['? Run this command? (developer__shell)', '  ! deletes what it reads', '  $ ls | xargs rm'],
  ],
  [
    'cline',
    { relayKind: 'permission', toolCallId: 'c', tool: 'editor', params: { path: 'new.ts', new_text: 'one\n' } },
    ['? Write new.ts? (editor)', '  + one'],
  ],
  [
    'cline',
    { relayKind: 'permission', toolCallId: 'c', tool: 'run_commands', params: { commands: ['npm ci', 'npm test'] } },
    ['? Run this command? (run_commands)', '  $ npm ci', '  > npm test'],
  ],
  [
    'cline',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'replace_in_file',
      params: { path: 'a.ts', diff: '------- SEARCH\nx\n=======\ny\n+++++++ REPLACE' },
    },
    ['? Edit a.ts? (replace_in_file)', '  - x', '  + y'],
  ],
  [
    'opencode',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'edit',
      params: { filePath: 'a.ts', oldString: 'x', newString: 'y' },
    },
    ['? Edit a.ts? (edit)', '  - x', '  + y'],
  ],
  [
    'kilo',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'bash',
      params: { command: 'git reset --hard', description: 'undo' },
    },
    [
      '? Run this command? (bash)',
      '  ! discards changes that are not committed',
      '  $ git reset --hard',
      '  description: undo',
    ],
  ],
  [
    'gemini',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'replace',
      params: { file_path: 'a.ts', old_string: 'x', new_string: 'y', instruction: 'rename' },
    },
    ['? Edit a.ts? (replace)', '  - x', '  + y', '  instruction: rename'],
  ],
  [
    'antigravity',
    {
      relayKind: 'permission',
      toolCallId: 'c',
      tool: 'run_command',
      params: { CommandLine: 'sudo reboot', Cwd: '/home/me/app' },
    },
    [
      '? Run this command? (run_command)',
      '  ! runs with the rights of another user; stops the machine',
      '  $ sudo reboot',
      '  Cwd: /home/me/app',
    ],
  ],
  [
    'acp',
    { relayKind: 'permission', toolCallId: 'c', tool: 'execute', params: { command: 'make' } },
    ['? Run this command? (execute)', '  $ make'],
  ],
  [
    'acp',
    { relayKind: 'permission', toolCallId: 'c', tool: 'delete', params: { path: 'a.ts' } },
    ['? Delete a.ts? (delete)', '  ! deletes a.ts', '  path: a.ts'],
  ],
  [
    'coder',
    { relayKind: 'permission', toolCallId: 'c', tool: 'github__delete_issue', params: { repo: 'me/app', issue: 7 } },
    ['? Use github__delete_issue?', '  ! deletes something, by its name', '  repo: me/app', '  issue: 7'],
  ],
  [
    'coder',
    { relayKind: 'permission', toolCallId: 'c', tool: 'weather', params: { city: 'Bern', days: 3 } },
    ['? Use weather?', '  city: Bern', '  days: 3'],
  ],
  [
    'coder',
    {
      relayKind: 'question',
      question: 'Which colour?',
      options: [{ label: 'Red', description: 'as the sun' }, { label: 'Blue' }],
    },
    ['? Which colour?', '  1. Red: as the sun', '  2. Blue'],
  ],
  ['coder', { relayKind: 'question', question: 'What is its name?' }, ['? What is its name?']],
  [
    'coder',
    { relayKind: 'plan', planId: 'p', title: 'Paint it', plan: '1. Buy paint\n2. Paint' },
    ['? Approve this plan? Paint it', '  1. Buy paint', '  2. Paint'],
  ],
  [
    'coder',
    { relayKind: 'suspension', tool: 'spending limit', payload: { spent: '$5.00', limit: '$5.00' } },
    ['? spending limit waits for you', '  spent: $5.00', '  limit: $5.00'],
  ],
  [
    'coder',
    {
      relayKind: 'access',
      params: { path: '/srv/data', kind: 'folder', mode: 'read', reason: 'read needs to read this folder' },
    },
    [
      '? Allow this access?',
      '  path: /srv/data',
      '  kind: folder',
      '  mode: read',
      '  reason: read needs to read this folder',
    ],
  ],
];

/** Calls of agents, and the line about each. */
export const presentedCalls: readonly (readonly [
  agentId: string,
  call: Pick<ToolPart, 'name' | 'status' | 'input'>,
  line: string,
])[] = [
  ['coder', { name: 'bash', status: 'done', input: { command: 'npm test' } }, 'Ran npm test'],
  ['coder', { name: 'bash', status: 'running', input: { command: 'npm test' } }, 'Running npm test'],
  ['coder', { name: 'grep', status: 'done', input: { pattern: 'x', path: 'src' } }, 'Searched "x" in src'],
  ['coder', { name: 'ask_user', status: 'running', input: { question: 'Why?' } }, 'Asking a question'],
  ['coder', { name: 'task_write', status: 'failed', input: { tasks: [] } }, 'Changed the tasks'],
  [
    'claude',
    { name: 'Read', status: 'done', input: { file_path: '/home/me/app/a.ts', offset: 3, limit: 2 } },
    'Read a.ts:3-4',
  ],
  ['claude', { name: 'Skill', status: 'done', input: { skill: 'pdf' } }, 'Loaded skill pdf'],
  ['codex', { name: 'command_execution', status: 'done', input: { command: "/bin/bash -lc 'ls -la'" } }, 'Ran ls -la'],
  [
    'pi',
    { name: 'edit', status: 'failed', input: { path: 'a.ts', edits: [{ oldText: 'x', newText: 'y' }] } },
    'Edited a.ts',
  ],
  [
    'goose',
    { name: 'developer__text_editor', status: 'done', input: { command: 'write', path: 'a.ts', file_text: 'x' } },
    'Wrote a.ts',
  ],
  [
    'cline',
    { name: 'read_files', status: 'done', input: { files: [{ path: 'a.ts' }, { path: 'b.ts' }] } },
    'Read a.ts, b.ts',
  ],
  ['opencode', { name: 'write', status: 'denied', input: { filePath: 'a.ts', content: 'x' } }, 'Write a.ts'],
  ['antigravity', { name: 'list_dir', status: 'done', input: { DirectoryPath: '/home/me/app/src' } }, 'Listed src'],
  ['coder', { name: 'github__search', status: 'done', input: { q: 'bugs', page: 2 } }, 'Called github search bugs 2'],
];

type Answer = Partial<EventOf<'relay_resolved'>>;

/** Where a request stands, and its words. */
export const presentedAnswers: readonly (readonly [
  Pick<RelayEntry, 'status' | 'reason'> & { answer?: Answer },
  string,
])[] = [
  [{ status: 'pending' }, 'waits for you'],
  [{ status: 'closed', reason: 'expired' }, 'Nobody answered in time'],
  [{ status: 'closed', reason: 'run_ended' }, 'Not answered: the run ended'],
  [
    { status: 'closed', reason: 'cancelled', answer: { outcome: 'cancelled', feedback: 'It moved on.' } },
    'Withdrawn: It moved on.',
  ],
  [{ status: 'answered', answer: { outcome: 'approve', by: 'ann' } }, 'Approved by ann'],
  [{ status: 'answered', answer: { outcome: 'approve', remember: 'thread' } }, 'Approved for this thread'],
  [{ status: 'answered', answer: { outcome: 'reject', feedback: 'keep it' } }, 'Rejected: keep it'],
  [{ status: 'answered', answer: { outcome: 'revise' } }, 'Approved with a changed input'],
];
