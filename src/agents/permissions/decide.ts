import type {
  Decision,
  DecisionReview,
  DecisionSource,
  Grant,
  PermissionRule,
  PermissionRuleSet,
  Policy,
  ToolRequest,
} from '../contract/permissions.ts';
import { conversationCategory } from './tool-request.ts';
import { grantCovers } from './grants.ts';
import { matchRules } from './rule-match.ts';

/** The input of decisions: the rules and the grants of users. */
export interface Permissions {
  readonly rules: PermissionRuleSet;
  readonly grants?: readonly Grant[];
}

const strictness: Record<Policy, number> = { allow: 0, ask: 1, deny: 2 };

/** Returns the strictest decision of several sources, as reviewed; grants apply to rules only. */
export function decideAll(
  sources: readonly DecisionSource[],
  grants: readonly Grant[],
  request: ToolRequest,
): Decision {
  const byRules = (rules: PermissionRuleSet): Decision => ({ ...decide({ rules, grants }, request), by: 'rules' });
  const [first = byRules({ rules: [] }), ...others] = sources.flatMap(source => {
    if (isReview(source)) return [];
    return typeof source === 'function' ? decideBy(source, request) : byRules(source);
  });
  const decided = others.reduce(stricter, first);
  return sources.filter(isReview).reduce((before, { review }) => {
    const after = decideBy(() => review(request, before), request);
    return before.policy === 'deny' || before.doubted !== undefined ? stricter(before, after) : after;
  }, decided);
}

/** Whether a source, which may be unvalidated, reviews the decisions of the others. */
export function isReview(source: unknown): source is DecisionReview {
  return typeof source === 'object' && source !== null && 'review' in source && typeof source.review === 'function';
}

function stricter(a: Decision, b: Decision): Decision {
  if (a.policy === b.policy) return a.doubted === undefined && (b.doubted !== undefined || asksBeside(a, b)) ? b : a;
  return strictness[b.policy] > strictness[a.policy] ? b : a;
}

/** Whether a function asks as well as a rule set: a review must not assume that only rules ask about the call. */
function asksBeside(a: Decision, b: Decision): boolean {
  return a.policy === 'ask' && a.by === 'rules' && b.by !== 'rules';
}

/**
 * Decides on one tool call; pure, never throws. A matching `deny` wins. Otherwise the most specific matching rules
 * count: those with an input or a command before an exact tool, before a tool glob, before a category; among them `ask`
 * wins over `allow`. Otherwise the default applies, `ask` when none is set; a tool of the category `conversation`,
 * such as a question to a user, is not asked about by default. A grant turns `ask` into `allow`, never `deny`.
 * A `deny` or `ask` rule on commands or paths that may match, because the line or the paths are not understood for
 * certain, turns `allow` into `ask`; if it denies, only a grant for exactly this command counts.
 * Unvalidated rules never allow more: an invalid rule never allows, and a missing policy means `ask`.
 */
export function decide({ rules, grants = [] }: Permissions, request: ToolRequest): Decision {
  const { matching, doubted } = matchRules(rules.rules, request);
  const rule = decidingRule(matching);
  const decided = rule === undefined ? byDefault(rules, request) : byRule(rule, request);
  // A doubted rule is a reason to ask, as opposed to the default.
  const isDoubtful = decided.policy === 'allow' || (decided.policy === 'ask' && rule === undefined);
  const decision = doubted !== undefined && isDoubtful ? byDoubt(doubted, request) : decided;
  if (decision.policy !== 'ask') return decision;
  const mayBeDenied = doubted?.policy === 'deny';
  const counting = mayBeDenied ? grants.filter(grant => grant.kind === 'command') : grants;
  const grant = counting.find(grant => grantCovers(grant, request));
  if (grant !== undefined) return { policy: 'allow', reason: 'a person allowed it before', grant };
  return mayBeDenied ? { ...decision, doubted } : decision;
}

function decidingRule(matching: readonly PermissionRule[]): PermissionRule | undefined {
  const denied = matching.find(rule => rule.policy === 'deny');
  if (denied !== undefined) return denied;
  const highest = Math.max(...matching.map(specificity));
  const deciding = matching.filter(rule => specificity(rule) === highest);
  return deciding.find(rule => rule.policy !== 'allow') ?? deciding[0];
}

function decideBy(source: (request: ToolRequest) => Decision, request: ToolRequest): Decision {
  const decision = source(request);
  return { ...decision, policy: known(decision.policy) };
}

/** An unknown policy never allows. */
function known(policy: Policy): Policy {
  return Object.hasOwn(strictness, policy) ? policy : 'ask';
}

function specificity(rule: PermissionRule): number {
  if (rule.command !== undefined || Object.keys(rule.input ?? {}).length > 0) return 3;
  if (rule.tool === undefined) return 0;
  return rule.tool.includes('*') ? 1 : 2;
}

function byRule(rule: PermissionRule, request: ToolRequest): Decision {
  const policy = known(rule.policy);
  return {
    policy,
    reason: rule.reason ?? `${sentence(policy, request)} by the rule for ${describeSubject(rule)}`,
    rule,
  };
}

function byDoubt(rule: PermissionRule, request: ToolRequest): Decision {
  const reason = `${sentence('ask', request)}: it is not certain that the rule for ${describeSubject(rule)} does not apply`;
  return { policy: 'ask', reason, rule };
}

function byDefault(rules: PermissionRuleSet, request: ToolRequest): Decision {
  const given = known(rules.default ?? 'ask');
  const policy = given === 'ask' && request.category === conversationCategory ? 'allow' : given;
  return { policy, reason: `${sentence(policy, request)} by default: no rule matches` };
}

const verbs: Record<Policy, string> = { allow: 'is allowed', ask: 'needs approval', deny: 'is denied' };

function sentence(policy: Policy, { tool }: ToolRequest): string {
  return `${tool} ${verbs[policy]}`;
}

function describeSubject(rule: PermissionRule): string {
  const input = Object.entries(rule.input ?? {}).map(([name, glob]) => `${name} ${JSON.stringify(glob)}`);
  const command = rule.command === undefined ? [] : [`command ${JSON.stringify(rule.command)}`];
  const tool = rule.tool === undefined ? [] : [`tool ${JSON.stringify(rule.tool)}`];
  const category = rule.category === undefined ? [] : [`category ${JSON.stringify(rule.category)}`];
  return [...tool, ...category, ...command, ...input].join(', ');
}
