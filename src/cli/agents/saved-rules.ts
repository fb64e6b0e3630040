import { decide } from '../../agents/permissions/decide.ts';
import type { DecisionReview, PermissionRule } from '../../agents/contract/permissions.ts';
import type { Agent } from '../../agents/contract/agent.ts';
import { StoredRules } from '../../config/stored-rules.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

/** Wraps an agent so that the rules saved for all conversations apply, from its next call on. */
export function withSavedRules(agent: Agent, home: string): Agent {
  const saved = reviewBySavedRules(new StoredRules(home));
  return {
    ...agent,
    invoke: params => {
      const host = { ...params.host, permissions: [...(params.host.permissions ?? []), saved] };
      return agent.invoke({ ...params, host });
    },
  };
}

/** Returns no rules for a damaged file, so that calls are asked about; the rules view shows the problem. */
function readRules(stored: StoredRules): PermissionRule[] {
  try {
    return stored.list().map(({ rule }) => rule);
  } catch (error) {
    if (!SingletreeError.is(error, 'invalid_config')) throw error;
    return [];
  }
}

/**
 * Allows a call that rules ask about when a saved rule allows it, as a grant does. Does not affect calls that are
 * denied, may be denied, or are asked about for another reason, such as a mode.
 */
function reviewBySavedRules(stored: StoredRules): DecisionReview {
  return {
    review: (request, decided) => {
      if (decided.policy !== 'ask' || decided.by !== 'rules' || decided.doubted !== undefined) return decided;
      const { policy, rule } = decide({ rules: { rules: readRules(stored) } }, request);
      const reason = 'a person allowed it for all conversations';
      return policy === 'allow' && rule !== undefined ? { policy, rule, reason } : decided;
    },
  };
}
