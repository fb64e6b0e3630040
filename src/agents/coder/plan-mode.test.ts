import { assert, constantFrom, oneof, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideAll } from '../permissions/decide.ts';
import type { PermissionRuleSet } from '../contract/permissions.ts';
import { planModeDecision } from './plan-mode.ts';

const everything: PermissionRuleSet = { default: 'allow', rules: [{ tool: 'bash', policy: 'allow' }] };
const bash = (command: string) => ({ tool: 'bash', category: 'execute', input: { command }, shell: true });
const decided = (request: Parameters<typeof planModeDecision>[0]) =>
  decideAll([everything, planModeDecision], [], request).policy;

describe('plan mode', () => {
  it.each(['ls -la', 'cat a.txt', 'file -b a.png', 'grep -rn x src', 'ls | wc -l'])('lets %s run', command => {
    expect(decided(bash(command))).toBe('allow');
  });

  it.each([
    'touch x',
    'cat a > b',
    'ls; rm x',
    'git diff',
    'git diff --output=x',
    'file -C -m magic',
    "sed -n '1e touch x' f",
    'sort -o x f',
    'git -c core.pager=x log',
    'find . -delete',
    'cat $(touch x)',
    'npm test',
    'echo "',
  ])('asks about %s, whatever the rules allow', command => {
    expect(decided(bash(command))).toBe('ask');
  });

  it('denies edits, whatever the rules allow', () => {
    for (const tool of ['edit', 'write', 'patch'])
      expect(decided({ tool, category: 'edit', input: { path: 'a' } })).toBe('deny');
    expect(decided({ tool: 'mcp__files__write', input: {} })).toBe('deny');
  });

  it('lets tools read', () => {
    expect(decided({ tool: 'read', category: 'read', input: { path: 'a' } })).toBe('allow');
  });

  it('never allows more than the rules do', () => {
    const policy = constantFrom('allow', 'ask', 'deny' as const);
    const request = oneof(
      constantFrom('ls', 'rm x', 'git status', 'cat a; b').map(bash),
      constantFrom('read', 'edit', undefined).map(category => ({
        tool: 't',
        input: {},
        ...(category && { category }),
      })),
    );
    assert(
      property(policy, request, (fallback, call) => {
        const rules = { default: fallback, rules: [] } as PermissionRuleSet;
        const strictness = ['allow', 'ask', 'deny'];
        const alone = decideAll([rules], [], call).policy;
        const planned = decideAll([rules, planModeDecision], [], call).policy;
        expect(strictness.indexOf(planned)).toBeGreaterThanOrEqual(strictness.indexOf(alone));
      }),
    );
  });
});
