import { defined } from '../base/defined.ts';
import type { Active } from '../graph/conversation/active.ts';
import type { Conversation } from '../graph/conversation/conversation.ts';
import { conversationFold, type Fold } from './fold.ts';
import { projectThread } from './reading/project-thread.ts';
import type { ReplPart, ViewNode } from './reading/view-node.ts';

/** One execution of code, as a person follows it in a terminal. */
export interface ReplEntry {
  readonly id: string;
  /** The run that wrote the code. */
  readonly runId: string;
  /** How many runs that run is inside of. */
  readonly depth: number;
  readonly iteration?: number;
  readonly code: string;
  readonly stdout: string;
  readonly stderr: string;
  /** `final` when it gave the answer. */
  readonly state: 'running' | 'done' | 'failed' | 'final';
  readonly error?: string;
  readonly durationMs?: number;
  readonly truncated?: boolean;
  /** The answers of the runs that it started, in order. */
  readonly answers: readonly string[];
}

/** The executions of a conversation, in order, each before those of the runs it started. */
export function projectRepl(conversation: Conversation, active: Active): ReplEntry[] {
  const entries: ReplEntry[] = [];
  const walk = (node: ViewNode, depth: number): void => {
    for (const part of node.parts) {
      if (part.kind === 'repl') entries.push(toEntry(part, node.runId ?? node.id, depth));
      if ('runs' in part) for (const run of part.runs) walk(run, depth + 1);
    }
  };
  for (const node of projectThread(conversation, { ...active, full: true })) walk(node, 0);
  return entries;
}

/** The executions of the active branch, as a fold. */
export const replFold: Fold<Conversation, ReplEntry[]> = conversationFold(projectRepl);

function toEntry(
  { id, code = '', iteration, printed, output, runs }: ReplPart,
  runId: string,
  depth: number,
): ReplEntry {
  const text = (stream: 'stdout' | 'stderr') =>
    printed.map(piece => (piece.stream === stream ? piece.text : '')).join('');
  const { error, durationMs, truncated } = output ?? {};
  return {
    id,
    runId,
    depth,
    ...defined({ iteration }),
    code,
    stdout: output?.stdout ?? text('stdout'),
    stderr: text('stderr'),
    state: output === undefined ? 'running' : output.done ? 'final' : error === undefined ? 'done' : 'failed',
    ...defined({ error, durationMs, truncated }),
    answers: runs.map(run => run.text),
  };
}
