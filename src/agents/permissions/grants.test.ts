import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { grant, grantFor } from './grants.ts';
import type { Grant, PermissionRule, Policy, ToolRequest } from '../contract/permissions.ts';

const shell = (command: unknown, more = {}): ToolRequest => ({
  tool: 'bash',
  category: 'execute',
  input: { command, ...more },
  shell: true,
});
const write: ToolRequest = { tool: 'write', category: 'edit', input: { path: 'a' } };

/** The decision after a grant was stored as JSON and read back. */
function afterGrant(given: Grant | undefined, request: ToolRequest, rules: PermissionRule[] = []): Policy {
  const grants = given === undefined ? [] : [grant.parse(JSON.parse(JSON.stringify(given)))];
  return decide({ rules: { rules }, grants }, request).policy;
}

describe('a grant', () => {
  it('is absent when the approval was for one call', () => {
    expect(grantFor(write, 'once')).toBeUndefined();
  });

  it('for the thread covers the tool', () => {
    const given = grantFor(write, 'thread');
    expect(given).toEqual({ kind: 'tool', tool: 'write' });
    expect(afterGrant(given, { ...write, input: { path: 'b' } })).toBe('allow');
    expect(afterGrant(given, { ...write, tool: 'delete' })).toBe('ask');
  });

  it('for the category covers the category', () => {
    const given = grantFor(write, 'category');
    expect(given).toEqual({ kind: 'category', category: 'edit' });
    expect(afterGrant(given, { tool: 'delete', category: 'edit', input: {} })).toBe('allow');
    expect(afterGrant(given, shell('ls'))).toBe('ask');
    expect(afterGrant(given, { tool: 'delete', input: {} })).toBe('ask');
  });

  it('for the category of a call without one covers no more than the thread would', () => {
    expect(grantFor({ tool: 'write', input: {} }, 'category')).toEqual({ kind: 'tool', tool: 'write' });
    expect(grantFor({ tool: 'bash', input: { command: 'ls' }, shell: true }, 'category')?.kind).toBe('command');
  });

  it('never covers a shell by a grant for a tool of its name', () => {
    expect(afterGrant({ kind: 'tool', tool: 'bash' }, shell('rm x'))).toBe('ask');
  });

  it('turns ask into allow, and keeps deny', () => {
    const given = grantFor(shell('rm x'), 'thread');
    expect(afterGrant(given, shell('rm x'), [{ command: 'rm *', policy: 'ask' }])).toBe('allow');
    expect(afterGrant(given, shell('rm x'), [{ command: 'rm *', policy: 'deny' }])).toBe('deny');
    expect(decide({ rules: { rules: [] }, grants: given ? [given] : [] }, shell('rm x'))).toEqual({
      policy: 'allow',
      reason: 'a person allowed it before',
      grant: given,
    });
  });

  describe('for a shell command', () => {
    it.each<[granted: unknown, line: unknown, policy: Policy]>([
      ['ls x', 'ls x', 'allow'],
      ['ls x', ' ls   "x" # again', 'allow'],
      ['ls x', 'ls x;', 'allow'],
      ['ls x', ['ls', 'x'], 'allow'],
      ['ls x', 'ls x\\\n#;rm y', 'ask'],
      ['ls x', 'ls x \\\n', 'allow'],
      ['ls x', 'ls x y', 'ask'],
      ['ls x', 'ls', 'ask'],
      ['ls x', 'ls "x y"', 'ask'],
      ['ls x', 'ls x; rm y', 'ask'],
      ['ls x', 'ls x && ls x', 'ask'],
      ['ls x', 'ls x &', 'ask'],
      ['ls x', '! ls x', 'ask'],
      ['ls x', '(ls x)', 'ask'],
      ['ls x', 'ls x 2>/dev/null', 'ask'],
      ['ls x', 'ls x > f', 'ask'],
      ['ls x', 'A=1 ls x', 'ask'],
      ['ls x', 'ls $(rm y)', 'ask'],
      ["ls '$X'", 'ls $X', 'ask'],
      ["ls '*'", 'ls *', 'ask'],
      ["ls '~'", 'ls ~', 'ask'],
      ["ls '&&' x", 'ls && x', 'ask'],
      ['a && b | c', 'a&&b|c', 'allow'],
      ['a && b | c', 'a || b | c', 'ask'],
      ['a && b | c', 'a | b && c', 'ask'],
      ['a; b', 'a\nb', 'allow'],
      ['a; b', 'b; a', 'ask'],
      ['cat > f <<E\nx\nE', 'cat > f <<E\nx\nE', 'allow'],
      ['cat > f <<E\nx\nE', 'cat > f <<E\ny\nE', 'ask'],
      ['for a in b; do ls $a; done', 'for a in b; do ls $a; done', 'allow'],
      ['ls "x', 'ls "x', 'allow'],
      ['ls "x', 'ls x', 'ask'],
    ])('%j decides %j: %s', (granted, line, policy) =>
      expect(afterGrant(grantFor(shell(granted), 'thread'), shell(line))).toBe(policy),
    );

    it('covers only the same other arguments', () => {
      const given = grantFor(shell('make', { cwd: '/repo', timeout: 5, description: 'Builds' }), 'thread');
      expect(afterGrant(given, shell('make', { cwd: '/repo', timeout: 9 }))).toBe('allow');
      expect(afterGrant(given, shell('make', { cwd: '/tmp' }))).toBe('ask');
      expect(afterGrant(given, shell('make', { cwd: '/repo', sandbox: false }))).toBe('ask');
      expect(afterGrant(given, { ...shell('make', { cwd: '/repo' }), tool: 'exec' })).toBe('ask');
    });

    it('is absent when the command cannot be read', () => {
      expect(grantFor(shell(undefined), 'thread')).toBeUndefined();
      expect(grantFor(shell(''), 'thread')).toBeUndefined();
    });
  });
});
