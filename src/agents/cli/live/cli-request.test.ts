import { describe, expect, it } from 'vitest';
import { decide } from '../../permissions/decide.ts';
import type { PermissionRule } from '../../contract/permissions.ts';
import { plainRequest } from './cli-request.ts';

const decided = (asked: Parameters<typeof plainRequest>[1], rules: PermissionRule[]) =>
  decide({ rules: { rules } }, plainRequest('acp', asked, asked.input)).policy;

describe('the request of an external agent in the terms of our rules', () => {
  const hidden = { tool: 'execute', category: 'execute', input: {} };

  it('allows a command line only by the rules for its commands', () => {
    const shown = { ...hidden, input: { command: 'ls src' }, command: 'ls src' };
    expect(decided(shown, [{ command: 'ls *', policy: 'allow' }])).toBe('allow');
    expect(decided(shown, [{ command: 'cat *', policy: 'allow' }])).toBe('ask');
  });

  it('asks about a command that the program does not show, whatever commands are allowed', () => {
    expect(decided(hidden, [{ command: 'ls *', policy: 'allow' }])).toBe('ask');
    expect(decided({ ...hidden, input: { args: 'ls' } }, [{ command: '*', policy: 'allow' }])).toBe('ask');
  });

  it.each(['ask', 'deny'] as const)('lets every rule on commands with %s guard it', policy => {
    const rules: PermissionRule[] = [
      { category: 'execute', policy: 'allow' },
      { command: 'rm *', policy },
    ];
    expect(decided(hidden, rules)).toBe(policy);
  });
});
