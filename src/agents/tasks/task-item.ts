import * as z from 'zod';
import type { EventOf } from '../../events/vocabulary.ts';

const text = z.string().min(1);

/** A task in the input of a model: the id is optional. */
export const taskItem = z.object({
  id: text.optional().describe('the id of an existing task; leave it out for a new one'),
  content: text.describe('what is to be done, as an order: "Run the tests"'),
  status: z.enum(['pending', 'in_progress', 'completed']).describe('where it stands; one at most is in_progress'),
  activeForm: text.describe('what is shown while it is done: "Running the tests"'),
});

/** A task with an id. */
export interface TaskItem {
  readonly id: string;
  readonly content: string;
  readonly status: z.infer<typeof taskItem>['status'];
  readonly activeForm: string;
}

/** A frozen copy of a task. */
export type TaskItemSnapshot = TaskItem;

/** Returns a frozen copy of a list. */
export function taskSnapshot(tasks: readonly TaskItem[]): TaskItemSnapshot[] {
  const copy = tasks.map(task => Object.freeze({ ...task }));
  Object.freeze(copy);
  return copy;
}

/** The task list of an event; a task without an active form uses its content. */
export function tasksOf({ tasks }: Pick<EventOf<'tasks'>, 'tasks'>): TaskItemSnapshot[] {
  return taskSnapshot(
    tasks.map(({ id, content, status, activeForm = content }) => ({ id, content, status, activeForm })),
  );
}
