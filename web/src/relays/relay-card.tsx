import { use, useMemo } from 'react';
import type { RelayPart } from '../../../src/projections/reading/view-node.ts';
import {
  type NamedValue,
  presentAnswer,
  presentRelay,
  type RelayPresentation,
} from '../../../src/projections/presentation/present-relay.ts';
import { visibleText } from '../code/visible-text.ts';
import { Commentable } from '../comments/commentable.tsx';
import { DiffView } from '../diff/diff-view.tsx';
import { Prose } from '../markdown/prose-view.tsx';
import { FolderContext } from '../parts/folder-path.ts';
import { DecisionForm } from './decision-form.tsx';
import { QuestionForm } from './question-form.tsx';
import { useHasExpired } from './use-has-expired.ts';

/** A relay that stands alone in the conversation: a question, a plan, or one whose tool call is not shown. */
export function RelayCard({ relay }: { relay: RelayPart }) {
  return (
    <section className="card" data-tone={relay.status === 'pending' ? 'ask' : 'quiet'} aria-label="Question to you">
      <RelayPanel relay={relay} />
    </section>
  );
}

/** The question with its form, or the answer once there is one. */
export function RelayPanel({ relay: part, agentId }: { relay: RelayPart; agentId?: string | undefined }) {
  const { relay, status } = part;
  const cwd = use(FolderContext);
  const asked = useMemo(() => presentRelay(relay, { agentId, cwd }), [relay, agentId, cwd]);
  const isOver = useHasExpired(relay);
  const isOpen = status === 'pending' && !isOver;
  return (
    <div className="relay" data-status={status}>
      {(status === 'pending' || relay.relayKind === 'question' || relay.relayKind === 'plan') && (
        <RelayAsk asked={asked} />
      )}
      {!isOpen && (
        <p className="relay-answer">
          {presentAnswer(isOver && status === 'pending' ? { ...part, status: 'closed', reason: 'expired' } : part)}.
        </p>
      )}
      {isOpen && relay.relayKind === 'question' && <QuestionForm relayId={relay.id} question={relay} />}
      {isOpen && relay.relayKind !== 'question' && <DecisionForm relay={relay} asked={asked} />}
    </div>
  );
}

/** Exactly what would run or change, what of it cannot be undone, and why it is wanted. */
function RelayAsk({ asked }: { asked: RelayPresentation }) {
  const { title, command, changes, patch, fields, plan, reason, risks } = asked;
  return (
    <>
      <p className="relay-question">{visibleText(title)}</p>
      {risks.length > 0 && <p className="relay-risk">{visibleText(risks.join('; '))}</p>}
      {command !== undefined && (
        <pre className="card-pre" data-kind="command">
          {visibleText(command)}
        </pre>
      )}
      {changes.length > 0 && <DiffView changes={changes} />}
      {patch !== undefined && <pre className="card-pre">{visibleText(patch)}</pre>}
      {plan !== undefined && (
        <Commentable kind="plan">
          <Prose text={plan} />
        </Commentable>
      )}
      <Fields fields={fields} />
      {reason !== undefined && <p className="relay-reason">{reason}</p>}
    </>
  );
}

function Fields({ fields }: { fields: readonly NamedValue[] }) {
  if (fields.length === 0) return null;
  return (
    <dl className="params">
      {fields.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <pre>{visibleText(value)}</pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}
