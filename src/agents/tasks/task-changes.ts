import { assignTaskIds, type TaskItemInput, type TaskItemSnapshot } from './assign-task-ids.ts';

type Tasks = readonly TaskItemSnapshot[];

/** The result of a task tool. */
export interface TaskResult {
  readonly content: string;
  readonly tasks: TaskItemSnapshot[];
  readonly isError: boolean;
}

/** The result of `task_check`. */
export interface TaskCheckResult extends TaskResult {
  readonly summary: TaskCheckSummary;
  readonly incompleteTasks: TaskItemSnapshot[];
}

export interface TaskCheckSummary {
  readonly total: number;
  readonly completed: number;
  readonly inProgress: number;
  readonly pending: number;
  readonly incomplete: number;
  readonly hasTasks: boolean;
  /** False for an empty list. */
  readonly allCompleted: boolean;
}

/** The effect of a call: the new list, if it changed, and the result. */
export interface TaskChange<Result extends TaskResult = TaskResult> {
  readonly tasks?: Tasks;
  readonly result: Result;
}

const oneAtATime = 'Only one task can be in_progress at a time.';

/** Replaces the list. */
export function writeTasks(current: Tasks, { tasks }: { readonly tasks: readonly TaskItemInput[] }): TaskChange {
  if (tasks.filter(isActive).length > 1) return { result: { content: oneAtATime, tasks: [...current], isError: true } };
  return changed(assignTaskIds(tasks, current));
}

/** Changes one task; starting it sets the others back to pending. */
export function updateTask(
  current: Tasks,
  {
    id,
    ...change
  }: { readonly id: string } & { readonly [Key in keyof TaskItemSnapshot]?: TaskItemSnapshot[Key] | undefined },
): TaskChange {
  const known = current.find(task => task.id === id);
  if (known === undefined) return notFound(current, id);
  const { content = known.content, status = known.status, activeForm = known.activeForm } = change;
  return changed(
    current.map(task => {
      if (task.id === id) return { id, content, status, activeForm };
      return change.status === 'in_progress' && isActive(task) ? { ...task, status: 'pending' } : task;
    }),
  );
}

/** Marks one task as completed. */
export function completeTask(current: Tasks, { id }: { readonly id: string }): TaskChange {
  return updateTask(current, { id, status: 'completed' });
}

/** Summarizes the list. */
export function checkTasks(current: Tasks): TaskChange<TaskCheckResult> {
  const summary = summarise(current);
  const tasks = [...current];
  const active = current.filter(isActive);
  const pending = current.filter(({ status }) => status === 'pending');
  const incompleteTasks = [...active, ...pending];
  if (!summary.hasTasks) {
    const content = 'No tasks found. For work of several steps, make a list with task_write.';
    return { result: { content, tasks, summary, incompleteTasks, isError: false } };
  }
  const lines = [
    `Tasks: ${summary.completed} of ${summary.total} completed, ${summary.inProgress} in progress, ${summary.pending} pending`,
    `All tasks completed: ${summary.allCompleted ? 'YES' : 'NO'}`,
    ...section('In progress:', active),
    ...section('Pending:', pending),
  ];
  return { result: { content: lines.join('\n'), tasks, summary, incompleteTasks, isError: false } };
}

/** Counts the tasks by status. */
export function summarise(tasks: Tasks): TaskCheckSummary {
  const completed = tasks.filter(({ status }) => status === 'completed').length;
  const inProgress = tasks.filter(isActive).length;
  const total = tasks.length;
  return {
    total,
    completed,
    inProgress,
    pending: total - completed - inProgress,
    incomplete: total - completed,
    hasTasks: total > 0,
    allCompleted: total > 0 && completed === total,
  };
}

function changed(tasks: Tasks): TaskChange {
  const { completed, total } = summarise(tasks);
  const active = tasks.find(isActive);
  const lines = [
    `Tasks updated: ${completed} of ${total} completed`,
    ...(active === undefined ? [] : [`Now: ${active.activeForm}`]),
    ...tasks.map(task => `${row(task)} (${task.status})`),
  ];
  return { tasks, result: { content: lines.join('\n'), tasks: [...tasks], isError: false } };
}

function notFound(tasks: Tasks, id: string): TaskChange {
  const ids = tasks.map(task => task.id).join(', ') || 'none';
  return { result: { content: `Task not found: ${id}. Available ids: ${ids}`, tasks: [...tasks], isError: true } };
}

function section(title: string, tasks: Tasks): string[] {
  return tasks.length === 0 ? [] : ['', title, ...tasks.map(row)];
}

function row({ id, content }: TaskItemSnapshot): string {
  return `- ${id}: ${content}`;
}

function isActive({ status }: Pick<TaskItemSnapshot, 'status'>): boolean {
  return status === 'in_progress';
}
