import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideAll } from '../../../agents/permissions/decide.ts';
import type { DecisionSource, PermissionRule } from '../../../agents/contract/permissions.ts';
import {
  deniedTools,
  noPermissionRules,
  noSessionGrants,
  permissionReview,
  type PermissionPolicy,
  type PermissionSituation,
  resolvePermission,
  visibleTools,
  withCategoryPolicy,
  withGrant,
  withToolPolicy,
} from './permissions.ts';

const nothing: PermissionSituation = {
  rules: noPermissionRules,
  grants: noSessionGrants,
  yolo: false,
  category: 'edit',
};
const resolve = (change: Partial<PermissionSituation> = {}) => resolvePermission('write', { ...nothing, ...change });
const forTool = (policy: PermissionPolicy) => withToolPolicy(noPermissionRules, 'write', policy);
const forCategory = (policy: PermissionPolicy) => withCategoryPolicy(noPermissionRules, 'edit', policy);
const toolGrant = withGrant(noSessionGrants, { toolName: 'write' });
const categoryGrant = withGrant(noSessionGrants, { category: 'edit' });

describe('the permission of a call', () => {
  it('is ask by default', () => {
    expect([resolve(), resolve({ category: null })]).toEqual(['ask', 'ask']);
  });

  it.each<[string, Partial<PermissionSituation>, PermissionPolicy]>([
    [
      'a denied tool is denied, also with yolo and a grant',
      { rules: forTool('deny'), yolo: true, grants: toolGrant },
      'deny',
    ],
    ['yolo allows what is not denied by name', { rules: forTool('ask'), yolo: true }, 'allow'],
    ['yolo allows what its category denies', { rules: forCategory('deny'), yolo: true }, 'allow'],
    ['what was set for the tool beats a grant for it', { rules: forTool('ask'), grants: toolGrant }, 'ask'],
    ['an allowed tool is allowed', { rules: forTool('allow') }, 'allow'],
    ['a granted tool is allowed, whatever its category', { rules: forCategory('deny'), grants: toolGrant }, 'allow'],
    ['a granted category beats what was set for it', { rules: forCategory('deny'), grants: categoryGrant }, 'allow'],
    ['what was set for the category holds', { rules: forCategory('deny') }, 'deny'],
    ['no category, no policy of one', { rules: forCategory('allow'), grants: categoryGrant, category: null }, 'ask'],
  ])('%s', (_, situation, policy) => {
    expect(resolve(situation)).toBe(policy);
  });

  it('ignores names of Object.prototype', () => {
    expect(resolvePermission('constructor', nothing)).toBe('ask');
    expect(resolvePermission('toString', { ...nothing, category: null })).toBe('ask');
  });
});

describe('rules and grants', () => {
  it('are never changed, only replaced', () => {
    const rules = withToolPolicy(withToolPolicy(noPermissionRules, 'a', 'deny'), 'b', 'ask');
    expect(rules).toEqual({ categories: {}, tools: { a: 'deny', b: 'ask' } });
    expect([noPermissionRules, noSessionGrants.tools.size]).toEqual([{ categories: {}, tools: {} }, 0]);
    expect(withGrant(toolGrant, { category: 'edit' })).toEqual({
      categories: new Set(['edit']),
      tools: new Set(['write']),
    });
  });

  it('hide a tool that is denied by name, but not one whose category is denied', () => {
    const tools = [{ name: 'write' }, { name: 'read' }];
    expect(visibleTools(tools, forTool('deny'))).toEqual([{ name: 'read' }]);
    expect(visibleTools(tools, forCategory('deny'))).toEqual(tools);
    expect(deniedTools(withToolPolicy(forTool('deny'), 'read', 'ask'))).toEqual(['write']);
    expect(deniedTools(forCategory('deny'))).toEqual([]);
  });
});

describe('the permission review of a run', () => {
  it('decides each call by the rules in effect at that time', () => {
    let rules = noPermissionRules;
    const review = permissionReview(() => ({ ...nothing, rules }));
    const call = { tool: 'write', input: {} };
    expect(decideAll([review], [], call).policy).toBe('ask');
    rules = forTool('deny');
    expect(decideAll([review], [], call)).toEqual({
      policy: 'deny',
      reason: 'write is denied by the permissions of this harness',
    });
  });

  const rule = (policy: PermissionPolicy): PermissionRule => ({ tool: 'write', policy, reason: `agent: ${policy}` });
  const decision = (own: DecisionSource, change: Partial<PermissionSituation> = {}) =>
    decideAll([permissionReview(() => ({ ...nothing, ...change })), own], [], { tool: 'write', input: {} });
  const loosened: [string, Partial<PermissionSituation>][] = [
    ['yolo', { yolo: true }],
    ['a grant of the tool', { grants: toolGrant }],
    ['a grant of its category', { grants: categoryGrant }],
    ['a policy of the tool', { rules: forTool('allow') }],
    ['a policy of its category', { rules: forCategory('allow') }],
  ];

  it.each(loosened)('lifts what the agent asks about, and never what it denies, by %s', (_, change) => {
    expect(decision({ rules: [rule('ask')] }, change).policy).toBe('allow');
    expect(decision({ rules: [rule('deny')] }, change)).toMatchObject({ policy: 'deny', reason: 'agent: deny' });
    expect(decision({ default: 'deny', rules: [] }, change).policy).toBe('deny');
  });

  it('keeps what the agent allows, unless a policy is set for the tool or its category', () => {
    const allow = { rules: [rule('allow')] };
    expect(decision(allow)).toMatchObject({ policy: 'allow', reason: 'agent: allow' });
    expect(decision({ default: 'allow', rules: [] }).policy).toBe('allow');
    expect(decision(allow, { category: null }).policy).toBe('allow');
    for (const policy of ['ask', 'deny'] as const) {
      expect(decision(allow, { rules: forTool(policy) }).policy).toBe(policy);
      expect(decision(allow, { rules: forCategory(policy) }).policy).toBe(policy);
    }
  });

  it.each(loosened)('asks about a line that a rule of the agent may deny, whatever %s allows', (_, change) => {
    const call = { tool: 'write', input: { command: 'if true; then ls; fi' }, shell: true };
    const own: DecisionSource = { rules: [{ command: 'rm *', policy: 'deny' }] };
    const decide = (situation: Partial<PermissionSituation>) =>
      decideAll([own, permissionReview(() => ({ ...nothing, ...situation }))], [], call).policy;
    expect(decide(change)).toBe('ask');
    expect(decide({ ...change, rules: forTool('deny') })).toBe('deny');
  });

  it('never allows a tool that is denied by name', () => {
    const policy = fc.constantFrom<PermissionPolicy>('allow', 'ask', 'deny');
    const situation = fc.record({
      rules: fc.record({
        tools: fc.dictionary(fc.constantFrom('write', 'read'), policy, { noNullPrototype: true }),
        categories: fc.dictionary(fc.constantFrom('edit', 'read'), policy, { noNullPrototype: true }),
      }),
      grants: fc.constantFrom(noSessionGrants, toolGrant, categoryGrant),
      yolo: fc.boolean(),
      category: fc.constantFrom('edit' as const, null),
    });
    fc.assert(
      fc.property(situation, now => {
        const denied = now.rules.tools['write'] === 'deny';
        expect(visibleTools([{ name: 'write' }], now.rules)).toHaveLength(denied ? 0 : 1);
        if (denied) expect(resolvePermission('write', now)).toBe('deny');
        else if (now.yolo) expect(resolvePermission('write', now)).toBe('allow');
      }),
    );
  });
});
