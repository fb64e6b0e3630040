import { type DecisionSource, isReview } from './decide.ts';
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
