import { useState } from 'react';
import type { EventOf } from '../../../src/events/vocabulary.ts';
import { useAnswerForm } from './use-answer-form.ts';

type Question = Extract<EventOf<'relay'>, { relayKind: 'question' }>;

/** The choices of a question, one or several, and a field for a free answer. */
export function QuestionForm({ relayId, question }: { relayId: string; question: Question }) {
  const { sending, problem, submit } = useAnswerForm(relayId);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const options = question.options ?? [];
  const several = question.selectionMode === 'multi_select';
  const answers = several ? [...chosen, ...(text.trim() === '' ? [] : [text.trim()])] : text.trim();
  return (
    <form
      className="question"
      onSubmit={event => {
        event.preventDefault();
        if (answers.length > 0) submit({ outcome: 'answer', answer: answers });
      }}
    >
      {options.length > 0 && (
        <ul className="options">
          {options.map(({ label, description }) => (
            <li key={label}>
              <button
                type="button"
                className="option"
                role={several ? 'checkbox' : undefined}
                aria-checked={several ? chosen.includes(label) : undefined}
                disabled={sending}
                onClick={() => {
                  if (!several) submit({ outcome: 'answer', answer: label });
                  else setChosen(chosen.includes(label) ? chosen.filter(each => each !== label) : [...chosen, label]);
                }}
              >
                {label}
                {description !== undefined && <small>{description}</small>}
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="decision-row">
        <input
          className="field"
          aria-label="Answer"
          placeholder={options.length > 0 ? 'Another answer' : 'Your answer'}
          value={text}
          disabled={sending}
          onChange={event => setText(event.target.value)}
        />
        <button type="submit" className="button primary" disabled={sending || answers.length === 0}>
          Answer
        </button>
      </div>
      {problem !== undefined && (
        <p className="card-line" data-tone="bad" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
