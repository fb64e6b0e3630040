import type { EventOf } from '../../../src/events/vocabulary.ts';
import type { Notice as NoticeLine } from '../../../src/projections/reading/notice.ts';
import type { ReplPart } from '../../../src/projections/reading/view-node.ts';
import { Commentable } from '../comments/commentable.tsx';
import { LongText } from '../code/long-text.tsx';
import { Prose } from '../markdown/prose-view.tsx';

const codeLimits = { headLines: 60, tailLines: 20, chars: 20_000 };
const outputLimits = { headLines: 12, tailLines: 8, chars: 20_000 };

/** The words of the agent, which can be commented on. */
export function AnswerText({ text, live }: { text: string; live: boolean }) {
  return (
    <Commentable kind="answer">
      <Prose text={text} live={live} />
    </Commentable>
  );
}

/** The reasoning of the agent, collapsed. */
export function Reasoning({ text, live }: { text: string; live: boolean }) {
  return (
    <details className="reasoning">
      <summary data-live={live}>{live ? 'Thinking…' : 'Thought'}</summary>
      <Prose text={text} live={live} />
    </details>
  );
}

/** One line about the run. */
export function Notice({ level, message }: NoticeLine) {
  return (
    <p className="notice" data-level={level} role={level === 'error' ? 'alert' : undefined}>
      {message}
    </p>
  );
}

/** Code that the agent ran, collapsed, with its output; the runs that it started are shown in separate rows. */
export function ReplCard({ item: { code = '', printed, output } }: { item: ReplPart }) {
  const error = output?.error;
  const text = output?.stdout ?? printed.map(piece => piece.text).join('');
  const tone = error !== undefined ? 'bad' : output !== undefined ? 'good' : 'busy';
  return (
    <section className="card" aria-label="Code">
      <details className="card-details">
        <summary className="card-head">
          <span className="dot" data-tone={tone} />
          <span className="card-name">code</span>
          <span className="card-gist">{code.trim().split('\n', 1)[0]}</span>
          <span className="card-status" data-tone={tone}>
            {error !== undefined ? 'Failed' : output !== undefined ? 'Done' : 'Running'}
          </span>
        </summary>
        <LongText text={code} limits={codeLimits} className="card-pre" label="Code" />
      </details>
      {text !== '' && <LongText text={text} limits={outputLimits} className="card-pre output" label="Output" />}
      {error !== undefined && (
        <p className="card-line" data-tone="bad">
          {error}
        </p>
      )}
    </section>
  );
}

/** The agent's own task list. */
export function TaskList({ tasks }: { tasks: EventOf<'tasks'>['tasks'] }) {
  return (
    <ul className="tasks" aria-label="Tasks">
      {tasks.map(task => (
        <li key={task.id} data-status={task.status}>
          {task.status === 'in_progress' ? (task.activeForm ?? task.content) : task.content}
        </li>
      ))}
    </ul>
  );
}
