import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../events/vocabulary.ts';
import type { CallPlace } from '../../projections/presentation/present-call.ts';
import { relayText } from './relay-text.ts';

const permission = (more: object): EventOf<'relay'> => ({
  type: 'relay',
  runId: 'r',
  id: 'relay-1',
  relayKind: 'permission',
  toolCallId: 'c',
  tool: 'Bash',
  params: {},
  ...more,
});

const textOf = (relay: EventOf<'relay'>, place?: CallPlace) => relayText(relay, place && { place }).trimEnd();

describe('what a person reads before answering', () => {
  it('is every line of a command, and the reason', () => {
    expect(textOf(permission({ command: 'touch a\ntouch b\n', reason: 'to have both' }))).toBe(
      '? Run this command? (Bash)\n  $ touch a\n  > touch b\n  because: to have both',
    );
  });

  it('is the diff of a change', () => {
    expect(textOf(permission({ tool: 'Edit', diff: '-a\n+b\n' }))).toBe('? Make this change? (Edit)\n  -a\n  +b');
  });

  it('is the input of any other call, its texts as they would be used', () => {
    expect(textOf(permission({ tool: 'Send', params: { to: 'a.txt', content: 'one\ntwo\n', mode: 7 } }))).toBe(
      '? Use Send?\n  to: a.txt\n  content:\n    one\n    two\n  mode: 7',
    );
    expect(textOf(permission({ tool: 'Stop' }))).toBe('? Use Stop?\n  (no input)');
  });

  it('is the command and the change of our own tools, and what else they were given', () => {
    expect(textOf(permission({ tool: 'bash', params: { command: 'npm test', timeout: 9 } }))).toBe(
      '? Run this command? (bash)\n  $ npm test\n  timeout: 9',
    );
    const params = { path: 'a.js', old_string: 'a\nb', new_string: 'c', replace_all: true };
    expect(textOf(permission({ tool: 'edit', params }))).toBe(
      '? Edit a.js? (edit)\n  - a\n  - b\n  + c\n  replace_all: true',
    );
    expect(textOf(permission({ tool: 'bash', params: { command: ['ls'] } }))).toContain('? Use bash?');
  });

  it('names the file of a change, as it is called in its folder', () => {
    const write = { tool: 'Write', params: { file_path: '/home/me/new.txt', content: 'hi\nthere\n', mode: 7 } };
    expect(textOf(permission(write), { cwd: '/home/me' })).toBe(
      '? Write new.txt? (Write)\n  + hi\n  + there\n  mode: 7',
    );
    const diff = '--- /dev/null\n+++ /home/me/new.txt\n@@ -0,0 +1,1 @@\n+hi\n';
    expect(textOf(permission({ tool: 'file_change', diff }), { cwd: '/home/me' })).toBe(
      '? Write new.txt? (file_change)\n  + hi',
    );
    const both = `${diff}--- a.txt\n+++ b.txt\n@@ -1 +1 @@\n-a\n+b\n`;
    expect(textOf(permission({ tool: 'file_change', diff: both }))).toMatch(
      /^\? Make this change\?[^]*a\.txt → b\.txt/,
    );
  });

  it('shows characters that would hide a part of it', () => {
    expect(textOf(permission({ command: 'rm -rf x\r\u001b[2K$ ls' }))).toContain('$ rm -rf x\\u{d}\\u{1b}[2K$ ls');
  });

  it('has the title of a plan once', () => {
    const plan = (more: object): EventOf<'relay'> =>
      ({ type: 'relay', runId: 'r', id: 'p', relayKind: 'plan', planId: 'p', ...more }) as EventOf<'relay'>;
    expect(textOf(plan({ title: 'Paint', plan: '# Paint\n1. paint' }))).toBe(
      '? Approve this plan?\n  Paint\n  1. paint',
    );
    expect(textOf(plan({ title: 'Paint', plan: '1. paint' }))).toBe('? Approve this plan? Paint\n  1. paint');
  });
});
