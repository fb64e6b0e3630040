import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignTaskIds, type TaskItemInput } from './assign-task-ids.ts';

const task = (content: string, id?: string): TaskItemInput => ({
  content,
  status: 'pending',
  activeForm: content,
  ...(id !== undefined && { id }),
});
const ids = (tasks: readonly TaskItemInput[], previous: readonly TaskItemInput[] = []) =>
  assignTaskIds(tasks, previous).map(({ id }) => id);

describe('the ids of tasks', () => {
  it('are derived from the content, with a number when they are taken', () => {
    expect(ids([task('Write tests'), task('Write tests!'), task('???'), task('!!!')])).toEqual([
      'task_write_tests',
      'task_write_tests_2',
      'task_item',
      'task_item_2',
    ]);
    expect(ids([task('a '.repeat(60))])[0]?.length).toBeLessThanOrEqual('task_'.length + 48);
  });

  it('stay when they are given, the first time; a given id is not assigned to another task', () => {
    expect(ids([task('A', 'x'), task('B', 'x')])).toEqual(['x', 'task_b']);
    expect(ids([task('A'), task('B', 'task_a')])).toEqual(['task_a_2', 'task_a']);
  });

  it('are reused from the only earlier task with the same content', () => {
    expect(ids([task('A')], [task('A', 'x'), task('B', 'y')])).toEqual(['x']);
    expect(ids([task('A', 'x'), task('A')], [task('A', 'x'), task('A', 'y')])).toEqual(['x', 'y']);
  });

  it('are not reused when the earlier task is ambiguous or named', () => {
    expect(ids([task('A')], [task('A', 'x'), task('A', 'y')])).toEqual(['task_a']);
    expect(ids([task('A'), task('A')], [task('A', 'x')])).toEqual(['task_a', 'task_a_2']);
    expect(ids([task('A'), task('B', 'x')], [task('A', 'x')])).toEqual(['task_a', 'x']);
  });

  it('are unique', () => {
    const some = fc.array(
      fc.tuple(fc.constantFrom('A', 'B', 'a b', '?'), fc.constantFrom(undefined, '', 'x', 'task_a')),
    );
    fc.assert(
      fc.property(some, some, (now, before) => {
        const made = ids(
          now.map(([content, id]) => task(content, id)),
          before.map(([content, id]) => task(content, id)),
        );
        expect(new Set(made).size).toBe(made.length);
        expect(made).not.toContain('');
      }),
    );
  });
});
