import { defined } from '../../../base/defined.ts';
import type { EventOf } from '../../../events/vocabulary.ts';
import { toRecord, toText } from './wire-value.ts';

/** Returns the tasks that a todo tool sets, without cancelled ones; undefined when its input has no list of `todos`. */
export function readTodos(input: unknown): EventOf<'tasks'>['tasks'] | undefined {
  const todos = toRecord(input)?.['todos'];
  if (!Array.isArray(todos)) return undefined;
  return todos.flatMap((value, index) => {
    const todo = toRecord(value);
    const status = todo?.['status'];
    const activeForm = toText(todo?.['activeForm']);
    if (status === 'cancelled') return [];
    return {
      id: toText(todo?.['id']) ?? `${index + 1}`,
      content: toText(todo?.['content']) ?? '',
      status: status === 'in_progress' || status === 'completed' ? status : 'pending',
      ...defined({ activeForm }),
    };
  });
}
