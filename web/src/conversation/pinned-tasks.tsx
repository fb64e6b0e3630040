import type { ThreadReading } from '../../../src/projections/reading/thread-reading.ts';
import { TaskList } from './item-cards.tsx';
import { hasOpenTasks } from './rows.ts';

/** The tasks of the agent above the composer, as long as some are open: always in view, and folded to one line. */
export function PinnedTasks({ tasks }: { tasks: ThreadReading['tasks'] }) {
  if (tasks === undefined || !hasOpenTasks(tasks)) return null;
  const { list } = tasks;
  const done = list.filter(({ status }) => status === 'completed').length;
  const current = list.find(({ status }) => status === 'in_progress');
  return (
    <details className="pinned-tasks" open={matchMedia('(min-height: 700px) and (min-width: 700px)').matches}>
      <summary>
        <strong>
          {done} of {list.length} tasks done
        </strong>
        {current !== undefined && <span className="pinned-current">{current.activeForm ?? current.content}</span>}
      </summary>
      <TaskList tasks={list} />
    </details>
  );
}
