import { describeRule } from '../../../src/projections/presentation/describe-rule.ts';
import type { RulesInfo } from '../../../src/protocols/http-settings.ts';
import { RevokeButton } from './revoke-button.tsx';

type Rule = RulesInfo['rules'][number];

interface RuleTableProps extends Pick<RulesInfo, 'folder' | 'rules' | 'fallback'> {
  readonly onRevoke: (ruleId: string) => Promise<void>;
}

/** Lists every rule in effect with its source; rules that were saved for all conversations can be revoked. */
export function RuleTable({ folder, rules, fallback, onRevoke }: RuleTableProps) {
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      <p className="settings-facts">
        In <code>{folder}</code>. A rule that denies always wins; of the others the most specific one decides. What was
        saved for all conversations applies to every agent, the other rules to the coding agent; external agents also
        have settings of their own.
      </p>
      <table className="rule-table">
        <thead>
          <tr>
            <th scope="col">What happens</th>
            <th scope="col">To which calls</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rules have no id, and two can be the same.
            <RuleRow key={at} rule={rule} onRevoke={onRevoke} />
          ))}
          <RuleRow rule={fallback} covers="every other call" onRevoke={onRevoke} />
        </tbody>
      </table>
    </section>
  );
}

interface RuleRowProps extends Pick<RuleTableProps, 'onRevoke'> {
  readonly rule: Rule;
  /** The calls that the rule applies to, when its selectors do not name them. */
  readonly covers?: string;
}

function RuleRow({ rule, covers, onRevoke }: RuleRowProps) {
  const { policy, reason, source, id } = rule;
  return (
    <tr>
      <td>
        <span className="policy" data-policy={policy}>
          {policy}
        </span>
      </td>
      <td>
        {covers ?? <code>{describeRule(rule)}</code>}
        {reason !== undefined && <span className="settings-facts">{reason}</span>}
      </td>
      <td>
        {source}
        {id !== undefined && <RevokeButton onRevoke={() => onRevoke(id)} />}
      </td>
    </tr>
  );
}
