import { useId, useState } from 'react';
import type { EventOf } from '../../../src/events/index.ts';
import { useAnswerForm } from './use-answer-form.ts';

/**
 * Approves or rejects, with a comment for the agent; a permission can be granted for the whole thread. Its input can be
 * revised when the agent takes that.
 */
export function DecisionForm({ relay }: { relay: EventOf<'relay'> }) {
  const { id: relayId, relayKind: kind } = relay;
  const canRevise = relay.answers === undefined || relay.answers.includes('revise');
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
        {kind === 'plan' && canRevise && (
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
      {relay.relayKind === 'permission' && canRevise && (
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

interface ReviseFieldProps {
  readonly params: Readonly<Record<string, unknown>>;
  readonly disabled: boolean;
  readonly revise: (input: unknown) => void;
}

/** The input of a call as JSON that can be changed before it runs. */
function ReviseField({ params, disabled, revise }: ReviseFieldProps) {
  const [text, setText] = useState(() => JSON.stringify(params, undefined, 2));
  const input = parsed(text);
  return (
    <details className="revise">
      <summary>Change it first</summary>
      <textarea
        className="field"
        aria-label="Input"
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        disabled={disabled}
        onChange={event => setText(event.target.value)}
      />
      <button type="button" className="button" disabled={disabled || input === undefined} onClick={() => revise(input)}>
        Run it like this
      </button>
    </details>
  );
}

/** The value of a JSON text; undefined when it is invalid. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
