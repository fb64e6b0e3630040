import type { GivenGrant } from '../../control/conversations/conversation-reader.ts';
import { describeRule } from '../../projections/presentation/describe-rule.ts';
import type { RulesInfo } from '../../protocols/index.ts';

/** The rules of the folder of a chat. */
export interface ChatRules {
  list(): Promise<Pick<RulesInfo, 'rules' | 'fallback'>>;
  /** Removes a rule that was saved for all conversations; throws `not_found`. */
  remove(id: string): void;
}

/** Returns one line for each rule with its source, and for each answer that allows more than its call. */
export function ruleLines(
  { rules, fallback }: Pick<RulesInfo, 'rules' | 'fallback'>,
  grants: readonly GivenGrant[],
): string[] {
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
