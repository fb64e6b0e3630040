import { useId, useRef, useState } from 'react';
import type { EventOf } from '../../../src/events/vocabulary.ts';
import { possibleAnswers } from '../../../src/projections/possible-answers.ts';
import type { RelayPresentation } from '../../../src/projections/presentation/present-relay.ts';
import type { RelayBody } from '../../../src/protocols/http-api.ts';
import { ReviseField } from './revise-field.tsx';
import { useAnswerForm } from './use-answer-form.ts';

type Reach = NonNullable<RelayBody['remember']>;

interface DecisionFormProps {
  readonly relay: EventOf<'relay'>;
  readonly asked: RelayPresentation;
}

/**
 * The answers that the agent of a relay can act on: approve, for how long, reject with a reason, or change the input.
 * What cannot be undone is approved only by its own button or key, never by Enter. A button with `data-key` is what
 * these keys press in the inbox.
 */
export function DecisionForm({ relay, asked: { answers, risks } }: DecisionFormProps) {
  const can = new Set(possibleAnswers(relay));
  /** A plan of an agent that can change it. */
  const isPlan = relay.relayKind === 'plan' && can.has('revise');
  const isRisky = risks.length > 0;
  const { sending, problem, submit } = useAnswerForm(relay.id);
  const [feedback, setFeedback] = useState('');
  const [reach, setReach] = useState<Reach>('once');
  const reason = useRef<HTMLInputElement>(null);
  const words = feedback.trim() === '' ? {} : { feedback: feedback.trim() };
  const approve = (remember: Reach) =>
    submit({ outcome: 'approve', ...words, ...(remember !== 'once' && { remember }) });
  const reject = () => submit({ outcome: 'reject', ...words });
  const revise = () => submit({ outcome: 'revise', ...words });
  const reaches = new Set(answers.map(({ remember }) => remember));
  return (
    <form
      className="decision"
      onSubmit={event => {
        event.preventDefault();
        if (!isRisky) approve(reach);
      }}
    >
      {reaches.has('thread') && (
        <ReachField
          category={relay.relayKind === 'permission' ? relay.category : undefined}
          reach={reach}
          onChange={setReach}
        />
      )}
      <div className="decision-row">
        {can.has('approve') && (
          <button
            type={isRisky ? 'button' : 'submit'}
            className={isRisky ? 'button risky' : 'button primary'}
            data-key={isRisky ? 'y' : 'y a'}
            disabled={sending}
            onClick={isRisky ? () => approve(reach) : undefined}
          >
            Approve
          </button>
        )}
        {can.has('reject') && (
          <button type="button" className="button" disabled={sending} onClick={reject}>
            Reject
          </button>
        )}
        {isPlan && (
          <button type="button" className="button" disabled={sending || feedback.trim() === ''} onClick={revise}>
            Ask for changes
          </button>
        )}
        <input
          ref={reason}
          className="field"
          aria-label="Reason"
          placeholder={isPlan ? 'What to change' : 'Reason (optional)'}
          value={feedback}
          disabled={sending}
          onChange={event => setFeedback(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'Escape') event.currentTarget.blur();
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            event.preventDefault();
            // Who wrote why not, means no; a plan with words is to be changed.
            if (feedback.trim() !== '') (isPlan ? revise : can.has('reject') ? reject : undefined)?.();
          }}
        />
        {can.has('reject') && <KeyTarget keys="r" onPress={() => reason.current?.focus()} />}
        {answers.map(({ remember, key }) =>
          remember === undefined ? null : <KeyTarget key={key} keys={key} onPress={() => approve(remember)} />,
        )}
      </div>
      {relay.relayKind === 'permission' && can.has('revise') && (
        <ReviseField
          params={relay.params}
          disabled={sending}
          revise={input => submit({ outcome: 'revise', input, ...words })}
        />
      )}
      {problem !== undefined && (
        <p className="card-line" data-tone="bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

/** An invisible button that a key of the inbox clicks. */
function KeyTarget({ keys, onPress }: { readonly keys: string; readonly onPress: () => void }) {
  return <button type="button" className="unseen" tabIndex={-1} aria-hidden="true" data-key={keys} onClick={onPress} />;
}

interface ReachFieldProps {
  readonly category: string | undefined;
  readonly reach: Reach;
  readonly onChange: (reach: Reach) => void;
}

/** For how long an approval counts. */
function ReachField({ category, reach, onChange }: ReachFieldProps) {
  const id = useId();
  return (
    <div className="reach">
      <label className="check" htmlFor={id}>
        <input
          id={id}
          type="checkbox"
          checked={reach === 'thread'}
          onChange={event => onChange(event.target.checked ? 'thread' : 'once')}
        />
        Always allow this in this thread
      </label>
      {category !== undefined && (
        <label className="check" htmlFor={`${id}-category`}>
          <input
            id={`${id}-category`}
            type="checkbox"
            checked={reach === 'category'}
            onChange={event => onChange(event.target.checked ? 'category' : 'once')}
          />
          Always allow all of “{category}” in this thread
        </label>
      )}
    </div>
  );
}
