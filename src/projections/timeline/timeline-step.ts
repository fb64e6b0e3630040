import type { Operation } from '../activity/activity.ts';

/** Who is at work in a step: a run as a whole, a model, a tool or a person; a note takes no time. */
export type StepKind = 'run' | 'model' | 'tool' | 'person' | 'note';

/** The status of a step. */
export type StepStatus = 'running' | 'done' | 'failed' | 'denied' | 'stopped';

/** One row of a timeline: an action with its start and end. */
export interface TimelineStep {
  /** The event it began with, and the one that ended it. */
  readonly seq: number;
  readonly endSeq?: number;
  readonly runId: string;
  /** How many runs its run is inside of. */
  readonly depth: number;
  readonly kind: StepKind;
  /** The type of operation of a tool, as in `Operation`; absent when it is unknown. */
  readonly operation?: Operation['type'];
  /** The name of a model, a tool or another actor, on one line. */
  readonly label: string;
  /** The subject, such as a command or the first words of a text, on one line. */
  readonly detail: string;
  /** Milliseconds since 1970. */
  readonly start: number;
  /** Absent while it runs. */
  readonly end?: number;
  readonly status: StepStatus;
}

const detailLength = 160;

/** The first words of a text, in one line. */
export function toGist(text: string): string {
  return text
    .slice(0, 4 * detailLength)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, detailLength);
}

/** Returns the subjects of operations: commands, paths, search queries. */
export function describeSubject(operations: readonly Operation[]): string {
  return toGist(operations.map(subject).filter(Boolean).join(', '));
}

function subject(operation: Operation): string {
  if (operation.type === 'command') return operation.command;
  if (operation.type === 'search') return operation.query;
  if (operation.type === 'orchestration') return operation.subagentName ?? '';
  return operation.path ?? '';
}
