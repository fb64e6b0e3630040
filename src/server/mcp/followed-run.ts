import { defined } from '../../base/defined.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { Thread } from '../../log/event-log.ts';
import { possibleAnswers } from '../../projections/possible-answers.ts';
import { oneLine, presentCall } from '../../projections/presentation/present-call.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { finalAnswer } from '../../projections/reading/final-answer.ts';
import { readPart } from '../../projections/reading/thread-reading.ts';
import type { RelayEntry } from '../../projections/relay-book.ts';
import { readRedactedWindow } from '../redacted-window.ts';
import type { McpCall } from './mcp-call.ts';
import type { PendingRelay, RunOutput } from './mcp-tools.ts';

/** How many seconds a call waits by default: the programs that call end one after about a minute. */
const defaultWait = 50;
/** How many characters of an answer are returned; the thread has all of it. */
const mostAnswer = 50_000;

interface RunIds {
  readonly threadId: string;
  readonly runId: string;
}

/** Returns what a caller sees of a relay. */
export function describePending({ id: threadId, title }: Thread, entry: RelayEntry, agent?: string): PendingRelay {
  const { title: asked, command, fields, plan, reason } = presentRelay(entry.relay, { agentId: agent });
  const details = [command, plan, ...fields.map(({ name, value }) => `${name}: ${value}`), reason];
  return {
    relayId: entry.id,
    threadId,
    runId: entry.runId,
    kind: entry.relay.relayKind,
    question: [asked, ...details.filter(text => text !== undefined)].join('\n').slice(0, 4_000),
    answers: [...possibleAnswers(entry.relay)],
    ...defined({ title, agent, since: entry.since }),
  };
}

/**
 * Waits until a run has ended or asks something, at most so many seconds; returns where it stands then. A run that began
 * `after` a seq is followed from its first event on.
 */
export async function followRun(
  call: McpCall,
  run: RunIds,
  { seconds = defaultWait, after }: { readonly seconds?: number | undefined; readonly after?: number },
): Promise<RunOutput> {
  const { site, threads } = call;
  const { seq } = await threads.find(run.threadId);
  const standing = await describeRun(call, run);
  if (seconds === 0 || (after === undefined && standing.status === 'finished')) return standing;
  const signal = AbortSignal.any([call.signal, site.signal, AbortSignal.timeout(seconds * 1000)]);
  for await (const event of site.options.log.tail(run.threadId, after ?? seq, { signal })) {
    if (event.type === 'relay' || (event.type === 'harness_end' && event.runId === run.runId)) break;
    const progress = describeProgress(event);
    if (progress !== undefined) call.report(progress);
  }
  return describeRun(call, run);
}

/** Returns where a run stands, with its answer when it has ended. */
export async function describeRun({ site, threads }: McpCall, run: RunIds): Promise<RunOutput> {
  const { threadId, runId } = run;
  const thread = await threads.find(threadId);
  const { status } = await site.runs.find(thread, runId);
  if (status === 'running' || status === 'waiting') {
    const { pending } = await site.conversations.inbox.of(thread);
    const asked = pending.map(entry => describePending(thread, entry, entry.relay.agentId));
    return asked.length === 0
      ? { threadId, runId, status: 'running' }
      : { threadId, runId, status: 'waiting', pending: asked };
  }
  const { log } = site.options;
  const window = await readRedactedWindow({ log, redactor: site.redactor }, threadId, {});
  const text = finalAnswer(readPart(window), runId).slice(0, mostAnswer);
  const failure = window.events.findLast(event => event.type === 'error' && event.runId === runId);
  return {
    threadId,
    runId,
    status: 'finished',
    outcome: status,
    ...(text !== '' && { text }),
    ...(status === 'error' && failure?.type === 'error' && { error: failure.message }),
  };
}

/** One line for what a run begins; undefined for the rest of its events. */
function describeProgress(event: LoggedEvent): string | undefined {
  if (event.type === 'tool_call') {
    const { verb, object } = presentCall({ ...event, status: 'running' });
    return oneLine(`${verb} ${object}`, 200);
  }
  return event.type === 'step_start' ? `step ${event.step}` : undefined;
}
