import { defined } from '../../../src/base/defined.ts';
import type { Conversation } from '../../../src/graph/conversation/conversation.ts';
import { defaultActive } from '../../../src/graph/conversation/active.ts';
import { projectRepl, type ReplEntry } from '../../../src/projections/project-repl.ts';
import { projectThread } from '../../../src/projections/reading/project-thread.ts';
import type { ViewNode } from '../../../src/projections/reading/view-node.ts';
import type { TotalsView } from '../../../src/projections/totals.ts';

/** A run of a recursive language model, in the tree of those that started each other. */
export interface ReplRun {
  readonly runId: string;
  readonly agentId: string;
  readonly model?: string;
  readonly depth: number;
  readonly status: string;
  readonly executions: number;
  readonly tokens: number;
  readonly cost?: number;
  /** The first words of its answer. */
  readonly answer: string;
}

export interface ReplSession {
  readonly runs: readonly ReplRun[];
  readonly entries: readonly ReplEntry[];
}

const mostText = 4000;
const mostAnswer = 200;

/** The executions of a thread, long texts cut, and the tree of its runs with their own tokens and cost. */
export function buildReplSession(conversation: Conversation, totals: TotalsView): ReplSession {
  const active = defaultActive(conversation);
  const entries = projectRepl(conversation, active).map(entry => ({
    ...entry,
    code: cut(entry.code),
    stdout: cut(entry.stdout),
    stderr: cut(entry.stderr),
    answers: entry.answers.map(cut),
  }));
  const spent = new Map(totals.runs.map(run => [run.runId, run]));
  const runs: ReplRun[] = [];
  const walk = (node: ViewNode, depth: number): void => {
    const runId = node.runId ?? node.id;
    if (node.role === 'assistant') runs.push(toRun(node, runId, depth));
    for (const part of node.parts) if ('runs' in part) for (const run of part.runs) walk(run, depth + 1);
  };
  const toRun = (node: ViewNode, runId: string, depth: number): ReplRun => {
    const { inputTokens = 0, outputTokens = 0, cost } = spent.get(runId) ?? {};
    return {
      runId,
      agentId: node.agentId ?? 'agent',
      ...(node.model !== undefined && { model: node.model }),
      depth,
      status: node.status ?? 'running',
      executions: node.parts.filter(({ kind }) => kind === 'repl').length,
      tokens: inputTokens + outputTokens,
      ...defined({ cost }),
      answer: node.text.slice(0, mostAnswer),
    };
  };
  for (const node of projectThread(conversation, { ...active, full: true })) walk(node, 0);
  return { runs, entries };
}

function cut(text: string): string {
  return text.length <= mostText ? text : `${text.slice(0, mostText)}… (${text.length - mostText} more characters)`;
}
