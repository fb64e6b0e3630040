import { defined } from '../../../../base/defined.ts';
import type { EventOf } from '../../../../events/vocabulary.ts';
import type { OpenCall } from '../../shared/open-calls.ts';
import { readTodos } from '../../shared/read-todos.ts';
import { toRecord, toText } from '../../shared/wire-value.ts';

type Tasks = EventOf<'tasks'>['tasks'];
type Task = Tasks[number];

const statuses: ReadonlySet<unknown> = new Set(['pending', 'in_progress', 'completed']);

/** The task list of a session, which one tool replaces and others change task by task. */
export class ClaudePlan {
  /** The tasks by id; undefined while an earlier run of the session may have created some. */
  #tasks: Map<string, Task> | undefined;

  /** Returns the list after a successful call; undefined when it is unchanged or not completely known. */
  take({ name, input }: OpenCall, result: unknown): Tasks | undefined {
    if (name === 'TodoWrite') return readTodos(input);
    if (name === 'TaskCreate') return this.#create(input, result);
    return name === 'TaskUpdate' ? this.#update(input) : undefined;
  }

  #create(input: unknown, result: unknown): Tasks | undefined {
    const created = toRecord(toRecord(result)?.['task']);
    const id = toText(created?.['id']);
    const content = toText(created?.['subject']);
    const activeForm = toText(toRecord(input)?.['activeForm']);
    // The first task of a session has the number one.
    if (id === '1') this.#tasks ??= new Map();
    if (id === undefined || content === undefined) return undefined;
    this.#tasks?.set(id, { id, content, status: 'pending', ...defined({ activeForm }) });
    return this.#list();
  }

  #update(input: unknown): Tasks | undefined {
    const change = toRecord(input);
    const task = this.#tasks?.get(toText(change?.['taskId']) ?? '');
    if (task === undefined) return undefined;
    const { status } = change ?? {};
    const activeForm = toText(change?.['activeForm']);
    const changed: Task = {
      ...task,
      content: toText(change?.['subject']) ?? task.content,
      status: statuses.has(status) ? (status as Task['status']) : task.status,
      ...defined({ activeForm }),
    };
    if (status === 'deleted') this.#tasks?.delete(task.id);
    else this.#tasks?.set(task.id, changed);
    return this.#list();
  }

  #list(): Tasks | undefined {
    return this.#tasks && [...this.#tasks.values()];
  }
}
