import { describe, expect, it } from 'vitest';
import { SingletreeError } from '../../base/singletree-error.ts';
import { parsePermissionRules } from './rule.ts';

const messageFor = (value: unknown): string => {
  try {
    parsePermissionRules(value);
  } catch (error) {
    if (SingletreeError.is(error, 'invalid_permission_rule')) return error.message;
    throw error;
  }
  return 'valid';
};

describe('permission rules of a configuration file', () => {
  it('are returned when they are valid', () => {
    const rules = {
      default: 'deny',
      rules: [
        { tool: 'read*', policy: 'allow' },
        { category: 'edit', input: { 'file.path': 'src/*' }, policy: 'ask', reason: 'look at it first' },
        { command: 'npm test *', policy: 'allow' },
        { command: '*', policy: 'ask' },
      ],
    };
    expect(parsePermissionRules(rules)).toEqual(rules);
    expect(parsePermissionRules({ rules: [] })).toEqual({ rules: [] });
  });

  it.each<[unknown, RegExp]>([
    [undefined, /are invalid: expected object/],
    [{}, /at "rules": expected array/],
    [{ rules: [], defaults: 'ask' }, /Unrecognized key: "defaults"/],
    [{ rules: [{ tool: 'a', polcy: 'ask', policy: 'ask' }] }, /at "rules.0": Unrecognized key: "polcy"/],
    [{ rules: [{ tool: 'a', policy: 'always' }] }, /at "rules.0.policy": .*"allow"\|"ask"\|"deny"/],
    [{ rules: [{ tool: 'a' }] }, /at "rules.0.policy"/],
    [{ rules: [{ tool: '', policy: 'ask' }] }, /at "rules.0.tool"/],
    [{ rules: [{ policy: 'allow' }] }, /at "rules.0": a rule names a tool, .* use "default" for the rest/],
    [{ rules: [{ input: {}, policy: 'allow' }] }, /a rule names a tool/],
    [{ rules: [{ input: { path: 1 }, policy: 'allow' }] }, /at "rules.0.input.path": expected string/],
    [{ rules: [{ command: 'ls; rm', policy: 'deny' }] }, /at "rules.0.command": .*more than one simple command/],
    [{ rules: [{ command: 'ls | sh', policy: 'deny' }] }, /more than one simple command/],
    [{ rules: [{ command: 'ls "x', policy: 'deny' }] }, /unterminated double quote/],
    [{ rules: [{ command: 'ls > x', policy: 'deny' }] }, /it has a redirect/],
    [{ rules: [{ command: 'A=1 ls', policy: 'deny' }] }, /starts with an assignment/],
    [{ rules: [{ command: 'ls $HOME', policy: 'deny' }] }, /it has an expansion/],
    [{ rules: [{ command: 'ls "$HOME"', policy: 'deny' }] }, /it has an expansion/],
    [{ rules: [{ command: 'export CC=gcc', policy: 'deny' }] }, /quote an argument that looks like an assignment/],
    [{ rules: [{ command: '# x', policy: 'deny' }] }, /it is empty/],
    [{ rules: [{ command: `ls ${'x'.repeat(5000)}`, policy: 'deny' }] }, /longer than 4096/],
    [{ rules: [{ command: '*', policy: 'allow' }] }, /named without \*; to allow every command, allow the tool/],
    [{ rules: [{ command: 'npm* test', policy: 'allow' }] }, /named without \*/],
  ])('are refused with the field and the problem: %j', (value, message) => expect(messageFor(value)).toMatch(message));
});
