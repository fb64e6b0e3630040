import { isReview } from './decide.ts';
import type { DecisionSource, PermissionRuleSet, Policy } from '../contract/permissions.ts';
import { parsePermissionRules } from './rule.ts';

const valid = new WeakSet<DecisionSource>();

/** Throws `invalid_permission_rule` for invalid rules; rules that were validated before are not checked again. */
export function checkSources(sources: readonly DecisionSource[]): void {
  for (const source of sources) {
    if (typeof source === 'function' || isReview(source) || valid.has(source)) continue;
    parsePermissionRules(source);
    valid.add(source);
  }
}

/** Returns the rules of an agent, or those that have one policy for every call; throws `invalid_permission_rule`. */
export function toRuleSet(permissions: PermissionRuleSet | Policy): PermissionRuleSet {
  const rules = typeof permissions === 'string' ? { default: permissions, rules: [] } : permissions;
  checkSources([rules]);
  return rules;
}
