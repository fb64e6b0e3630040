import { type ReactElement, useMemo } from 'react';
import { changesOfDiff, fileChangesOf, type RelayPart } from '../../../src/projections/index.ts';
import { visibleText } from '../code/visible-text.ts';
import { Commentable } from '../comments/commentable.tsx';
import { DiffView } from '../diff/diff-view.tsx';
import { DecisionForm } from './decision-form.tsx';
import { Prose } from '../markdown/prose-view.tsx';
import { QuestionForm } from './question-form.tsx';
import { readable } from '../../../src/projections/presentation/wording.ts';
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
export function RelayPanel({ relay, agentId }: { relay: RelayPart; agentId?: string | undefined }) {
  const isOver = useHasExpired(relay.relay);
  return (
    <div className="relay" data-status={relay.status}>
      {(relay.status === 'pending' || relay.relay.relayKind === 'question' || relay.relay.relayKind === 'plan') && (
        <RelayAsk relay={relay} agentId={agentId} />
      )}
      {relay.status === 'pending' && !isOver ? (
        relay.relay.relayKind === 'question' ? (
          <QuestionForm relayId={relay.relay.id} question={relay.relay} />
        ) : (
          <DecisionForm relay={relay.relay} />
        )
      ) : (
        <p className="relay-answer">{relay.status === 'pending' ? tooLate : answerText(relay)}</p>
      )}
    </div>
  );
}

function RelayAsk({ relay: { relay }, agentId }: { relay: RelayPart; agentId: string | undefined }): ReactElement {
  if (relay.relayKind === 'permission')
    return (
      <>
        <p className="relay-question">
          Allow <code>{relay.tool}</code> with this?
        </p>
        <Proposal relay={relay} agentId={agentId} />
        {relay.reason !== undefined && <p className="relay-reason">{relay.reason}</p>}
      </>
    );
  if (relay.relayKind === 'question') return <p className="relay-question">{relay.question}</p>;
  if (relay.relayKind === 'plan')
    return (
      <>
        <p className="relay-question">{relay.title ?? 'Is this plan good?'}</p>
        <Commentable kind="plan">
          <Prose text={relay.plan} />
        </Commentable>
      </>
    );
  if (relay.relayKind === 'suspension')
    return (
      <>
        <p className="relay-question">
          <code>{relay.tool}</code> waits for you.
        </p>
        <pre className="card-pre">{readable(relay.payload ?? relay.params)}</pre>
      </>
    );
  return (
    <>
      <p className="relay-question">Allow access to this?</p>
      <Params params={relay.params} />
    </>
  );
}

interface ProposalProps {
  readonly relay: Extract<RelayPart['relay'], { relayKind: 'permission' }>;
  /** The agent that asks, when it is known. */
  readonly agentId: string | undefined;
}

/** Exactly what would run or change: the command, the diff, or else the input. */
function Proposal({ relay, agentId }: ProposalProps) {
  const { command, diff, params, tool } = relay;
  const changes = useMemo(
    () => (diff === undefined ? fileChangesOf({ agentId, name: tool, input: params }) : changesOfDiff(diff)),
    [agentId, tool, params, diff],
  );
  if (command === undefined && changes.length === 0) return <Params params={params} />;
  return (
    <>
      {command !== undefined && (
        <pre className="card-pre" data-kind="command">
          {visibleText(command)}
        </pre>
      )}
      {changes.length > 0 && <DiffView changes={changes} />}
    </>
  );
}

/** Formats a single text argument as it is, several as names and values. */
function Params({ params }: { params: Record<string, unknown> }) {
  const entries = Object.entries(params);
  const [first] = entries;
  if (entries.length === 1 && typeof first?.[1] === 'string')
    return <pre className="card-pre">{visibleText(first[1])}</pre>;
  return (
    <dl className="params">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <pre>{visibleText(readable(value))}</pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const tooLate = 'Nobody answered in time.';

function answerText({ answer: given, relay }: RelayPart): string {
  if (!given) return 'Not answered: the run ended.';
  const { outcome, answer, feedback, remember } = given;
  const reason = feedback === undefined || feedback === '' ? '' : `: ${feedback}`;
  if (outcome === 'answer')
    return `Answered: ${Array.isArray(answer) ? answer.join(', ') : (answer ?? feedback ?? '')}`;
  if (outcome === 'approve')
    return remember === 'thread' ? 'Allowed, also from now on in this thread' : `Approved${reason}`;
  if (outcome === 'reject') return `Rejected${reason}`;
  if (outcome === 'revise')
    return relay.relayKind === 'permission' ? `Approved with a changed input${reason}` : `Changes asked for${reason}`;
  return outcome === 'expired' ? tooLate : 'Withdrawn.';
}
