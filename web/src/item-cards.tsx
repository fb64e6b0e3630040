import type { NoticeItem, TasksItem } from '../../src/projections/thread-view-item.ts';
import type { ReplView } from '../../src/projections/thread-view-tree.ts';
import { RunBlock } from './entry-list.tsx';
import { Prose } from './prose-view.tsx';

/** What the agent thought, folded away. */
export function Reasoning({ text, live }: { text: string; live: boolean }) {
  return (
    <details className="reasoning">
      <summary data-live={live}>{live ? 'Thinking…' : 'Thought'}</summary>
      <Prose text={text} />
    </details>
  );
}

/** One line about the run. */
export function Notice({ level, message }: { level: NoticeItem['level']; message: string }) {
  return (
    <p className="notice" data-level={level} role={level === 'error' ? 'alert' : undefined}>
      {message}
    </p>
  );
}

/** Code that the agent ran, folded away, what it printed, and the runs it started. */
export function ReplCard({ item }: { item: ReplView }) {
  const tone = item.error !== undefined ? 'bad' : item.ended ? 'good' : 'busy';
  return (
    <section className="card" aria-label="Code">
      <details className="card-details">
        <summary className="card-head">
          <span className="dot" data-tone={tone} />
          <span className="card-name">code</span>
          <span className="card-gist">{item.code.trim().split('\n', 1)[0]}</span>
          <span className="card-status" data-tone={tone}>
            {item.error !== undefined ? 'Failed' : item.ended ? 'Done' : 'Running'}
          </span>
        </summary>
        <pre className="card-pre">{item.code}</pre>
      </details>
      {item.printed !== '' && <pre className="card-pre output">{item.printed}</pre>}
      {item.error !== undefined && (
        <p className="card-line" data-tone="bad">
          {item.error}
        </p>
      )}
      {item.runs.length > 0 && (
        <div className="card-runs">
          {item.runs.map(run => (
            <RunBlock key={run.runId} run={run} />
          ))}
        </div>
      )}
    </section>
  );
}

/** The agent's own list of what is to be done. */
export function TaskList({ tasks }: { tasks: TasksItem['tasks'] }) {
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
