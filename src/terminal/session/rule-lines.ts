import type { GivenGrant } from '../../control/conversations/conversation-reader.ts';
import { describeRule, type RuleSelectors } from '../../projections/presentation/describe-rule.ts';

/** A rule about calls, and where it comes from. */
interface SourcedRule extends RuleSelectors {
  readonly policy: string;
  readonly source: string;
  /** Of a rule that was saved for all conversations. */
  readonly id?: string | undefined;
}

interface RulesInEffect {
  readonly rules: readonly SourcedRule[];
  /** What happens to a call that no rule matches. */
  readonly fallback: SourcedRule;
}

/** The rules of the folder of a chat. */
export interface ChatRules {
  list(): Promise<RulesInEffect>;
  /** Removes a rule that was saved for all conversations; throws `not_found`. */
  remove(id: string): void;
}

/** Returns one line for each rule with its source, and for each answer that allows more than its call. */
export function ruleLines({ rules, fallback }: RulesInEffect, grants: readonly GivenGrant[]): string[] {
  const given = grants.map(({ covers, title = 'Untitled' }) => `${covers} · in “${title}”`);
  return [
    'A rule that denies always wins; of the others the most specific one decides.',
    ...rules.map(rule => {
      const revoke = rule.id === undefined ? '' : ` · /rules ${rule.id} revokes it`;
      return `${rule.policy.padEnd(5)} ${describeRule(rule)} · ${rule.source}${revoke}`;
    }),
    `${fallback.policy.padEnd(5)} every other call · ${fallback.source}`,
    ...(given.length === 0 ? [] : ['What you allowed for longer:', ...given]),
  ];
}
