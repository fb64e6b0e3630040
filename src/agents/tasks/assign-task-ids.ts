import * as z from 'zod';
import type { EventOf } from '../../events/vocabulary.ts';

/** A task whose id may be missing. */
export type TaskItemInput = Omit<TaskItemSnapshot, 'id'> & { readonly id?: string | undefined };

const maxSlug = 48;

/**
 * Assigns unique ids. A given id stays at its first use. A task without an id reuses the id of the only earlier task
 * with the same content; else it gets `task_<content>`, with a number when that is taken.
 */
export function assignTaskIds(
  tasks: readonly TaskItemInput[],
  previous: readonly TaskItemInput[] = [],
): TaskItemSnapshot[] {
  const given = new Set(tasks.flatMap(task => getId(task) ?? []));
  const wanting = byContent(tasks.filter(task => getId(task) === undefined));
  const free = byContent(previous.filter(task => !given.has(getId(task) ?? '')));
  const reused = new Map<TaskItemInput, string>();
  for (const [content, [task, another]] of wanting) {
    const [before, alternative] = free.get(content) ?? [];
    const id = before && getId(before);
    if (task && !another && id !== undefined && !alternative) reused.set(task, id);
  }
  const taken = new Set([...given, ...reused.values()]);
  const seen = new Set<string>();
  return tasks.map(task => {
    const { content, status, activeForm } = task;
    const named = getId(task) ?? reused.get(task);
    const id = named === undefined || seen.has(named) ? mint(content, taken) : named;
    seen.add(id);
    taken.add(id);
    return { id, content, status, activeForm };
  });
}

function getId({ id }: TaskItemInput): string | undefined {
  return id === '' ? undefined : id;
}

function byContent(tasks: readonly TaskItemInput[]): Map<string, TaskItemInput[]> {
  const groups = new Map<string, TaskItemInput[]>();
  for (const task of tasks) {
    const group = groups.get(task.content);
    if (group === undefined) groups.set(task.content, [task]);
    else group.push(task);
  }
  return groups;
}

function mint(content: string, taken: ReadonlySet<string>): string {
  const words = content
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, maxSlug)
    .replace(/_+$/, '');
  const first = `task_${words === '' ? 'item' : words}`;
  let id = first;
  for (let number = 2; taken.has(id); number++) id = `${first}_${number}`;
  return id;
}

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
export function toTasks({ tasks }: Pick<EventOf<'tasks'>, 'tasks'>): TaskItemSnapshot[] {
  return taskSnapshot(
    tasks.map(({ id, content, status, activeForm = content }) => ({ id, content, status, activeForm })),
  );
}
