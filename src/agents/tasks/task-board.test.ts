import { describe, expect, it } from 'vitest';
import { TaskBoard } from './task-board.ts';
import { completeTask, updateTask } from './task-changes.ts';
import type { TaskItemSnapshot } from './assign-task-ids.ts';

const task = (id: string, status: TaskItemSnapshot['status'] = 'pending'): TaskItemSnapshot => ({
  id,
  content: id,
  status,
  activeForm: id,
});

describe('the task board', () => {
  it('applies changes one after another', async () => {
    const board = new TaskBoard([task('a'), task('b')]);
    const written: (readonly TaskItemSnapshot[])[] = [];
    const write = async (tasks: readonly TaskItemSnapshot[]) => void written.push(tasks);
    await Promise.all([
      board.change(tasks => completeTask(tasks, { id: 'a' }), write),
      board.change(tasks => completeTask(tasks, { id: 'b' }), write),
    ]);
    expect(written.map(tasks => tasks.map(({ status }) => status))).toEqual([
      ['completed', 'pending'],
      ['completed', 'completed'],
    ]);
    expect(board.tasks).toEqual(written[1]);
  });

  it('ignores its own older lists from the log, and accepts lists of others', async () => {
    const board = new TaskBoard([task('a')]);
    const written: (readonly TaskItemSnapshot[])[] = [];
    const write = (tasks: readonly TaskItemSnapshot[]) => void written.push(tasks);
    await board.change(tasks => updateTask(tasks, { id: 'a', status: 'in_progress' }), write);
    await board.change(tasks => completeTask(tasks, { id: 'a' }), write);
    for (const tasks of written) {
      board.take(structuredClone(tasks));
      expect(board.tasks).toEqual([task('a', 'completed')]);
    }
    board.take([task('b')]);
    expect(board.tasks).toEqual([task('b')]);
  });

  it('keeps its list when writing fails', async () => {
    const board = new TaskBoard([task('a')]);
    const failing = board.change(
      tasks => completeTask(tasks, { id: 'a' }),
      () => Promise.reject(new Error('full')),
    );
    await expect(failing).rejects.toThrow('full');
    expect(board.tasks).toEqual([task('a')]);
  });
});
