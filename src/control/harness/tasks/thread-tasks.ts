import type { EventOf } from '../../../events/index.ts';
import { type TaskItemSnapshot, taskSnapshot } from './task-item.ts';

/** The task list of an event, as a harness shows it: a task that does not say how it is shown is shown as its content. */
export function tasksOf({ tasks }: Pick<EventOf<'tasks'>, 'tasks'>): TaskItemSnapshot[] {
  return taskSnapshot(
    tasks.map(({ id, content, status, activeForm = content }) => ({ id, content, status, activeForm })),
  );
}
