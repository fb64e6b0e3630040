import { useEffect, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import type { EventOf } from '../../../src/events/vocabulary.ts';
import { type SuggestedRule, suggestRule } from '../../../src/projections/presentation/suggest-rule.ts';
import type { RelayBody } from '../../../src/protocols/http-api.ts';
import { visibleText } from '../code/visible-text.ts';
import { relayIn } from './relay-summary.ts';

interface SuggestedRuleProps {
  readonly client: Client;
  readonly relay: EventOf<'relay'>;
  readonly onAnswer: (answer: RelayBody) => void;
}

/** Suggests a rule for calls that were approved repeatedly; shows exactly what it allows before saving it. */
export function SuggestedRuleCard({ client, relay, onAnswer }: SuggestedRuleProps) {
  const suggested = useSuggestedRule(client, relay);
  const [problem, setProblem] = useState<string>();
  if (suggested === undefined) return null;
  const { sentence, effect, rule } = suggested;
  const saveForAll = () => {
    const { tool, command } = rule;
    client.saveRule({ tool, command }).then(
      () => onAnswer({ outcome: 'approve' }),
      (error: unknown) => setProblem(errorText(error)),
    );
  };
  return (
    <section className="suggested-rule" aria-label="Suggested rule">
      <p>
        {sentence} The narrowest rule that covers it: <strong>{visibleText(effect)}</strong>.
      </p>
      <div className="decision-row">
        <button type="button" className="button" onClick={() => onAnswer({ outcome: 'approve', remember: 'thread' })}>
          Approve, and save it for this conversation
        </button>
        <button type="button" className="button" onClick={saveForAll}>
          Approve, and save it for all conversations
        </button>
      </div>
      {problem !== undefined && (
        <p className="settings-result" role="alert" data-tone="bad">
          {problem}
        </p>
      )}
      <details>
        <summary>The rule that is saved for all conversations; Rules lists and revokes it</summary>
        <pre className="card-pre">{visibleText(JSON.stringify(rule, undefined, 2))}</pre>
      </details>
    </section>
  );
}

function useSuggestedRule(client: Client, relay: EventOf<'relay'>): SuggestedRule | undefined {
  const [suggested, setSuggested] = useState<SuggestedRule>();
  useEffect(() => {
    let isOver = false;
    setSuggested(undefined);
    if (relay.relayKind !== 'permission') return undefined;
    client.listDecisions({ limit: 200 }).then(
      ({ decisions }) => {
        const newest = decisions.toSorted((a, b) => ((a.answer?.ts ?? '') < (b.answer?.ts ?? '') ? 1 : -1));
        const decided = newest.map(info => ({ relay: relayIn(info), outcome: info.answer?.outcome }));
        if (!isOver) setSuggested(suggestRule(relay, decided));
      },
      // Without the decisions nothing is suggested.
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, [client, relay]);
  return suggested;
}
