import { useId, useState } from 'react';
import type { EventOf } from '../../src/events/index.ts';
import { useAnswerForm } from './use-answer-form.ts';

interface DecisionFormProps {
  readonly relayId: string;
  readonly kind: EventOf<'relay'>['relayKind'];
}

/** Approves or rejects, with a comment for the agent; a permission can be granted for the whole thread. */
export function DecisionForm({ relayId, kind }: DecisionFormProps) {
  const { sending, problem, submit } = useAnswerForm(relayId);
  const [feedback, setFeedback] = useState('');
  const [always, setAlways] = useState(false);
  const id = useId();
  const words = feedback.trim() === '' ? {} : { feedback: feedback.trim() };
  return (
    <form
      className="decision"
      onSubmit={event => {
        event.preventDefault();
        submit({ outcome: 'approve', ...words, ...(always && { remember: 'thread' }) });
      }}
    >
      {kind === 'permission' && (
        <label className="check" htmlFor={id}>
          <input id={id} type="checkbox" checked={always} onChange={event => setAlways(event.target.checked)} />
          Always allow this in this thread
        </label>
      )}
      <div className="decision-row">
        <button type="submit" className="button primary" disabled={sending}>
          Approve
        </button>
        <button
          type="button"
          className="button"
          disabled={sending}
          onClick={() => submit({ outcome: 'reject', ...words })}
        >
          Reject
        </button>
        {kind === 'plan' && (
          <button
            type="button"
            className="button"
            disabled={sending || feedback.trim() === ''}
            onClick={() => submit({ outcome: 'revise', ...words })}
          >
            Ask for changes
          </button>
        )}
        <input
          className="field"
          aria-label="Reason"
          placeholder={kind === 'plan' ? 'What to change' : 'Reason (optional)'}
          value={feedback}
          disabled={sending}
          onChange={event => setFeedback(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      </div>
      {problem !== undefined && (
        <p className="card-line" data-tone="bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
