import { checkMode, pickAgent } from '../../control/conversations/sent-message.ts';
import { makeTitle } from '../../control/conversations/thread-titles.ts';
import {
  findCallingThreads,
  readMarks,
  addStarter,
  readStartedBy,
  type StartedBy,
} from '../../control/conversations/inside-run.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Thread } from '../../log/event-log.ts';
import type { McpCall, McpToolHandlers } from './mcp-call.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { possibleAnswers } from '../../projections/possible-answers.ts';
import { oneLine, presentCall } from '../../projections/presentation/present-call.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { finalAnswer } from '../../projections/reading/final-answer.ts';
import { readPart } from '../../projections/reading/thread-reading.ts';
import type { RelayEntry } from '../../projections/relay-book.ts';
import type { PendingRelay, RunOutput } from './mcp-tools.ts';

/** The maximum nesting depth of requested runs, which stops an agent that calls itself. */
const mostDepth = 3;

/** The tools that list agents, run them, follow, steer and stop runs. */
export const runHandlers: Pick<
  McpToolHandlers,
  'agent_list' | 'agent_run' | 'run_status' | 'run_wait' | 'run_stop' | 'run_send'
> = {
  agent_list: async (_, { site }) => ({
    value: {
      agents: site.options.agents.list().map(({ id, name, description, modes, models }) => ({
        agent: id,
        name,
        ...defined({ description, modes: modes?.map(mode => mode.id), models }),
      })),
    },
  }),
  agent_run: async ({ agent, prompt: content, threadId: id, mode, model, wait: seconds }, call) => {
    const { site, threads, caller, connection } = call;
    const { log, agents } = site.options;
    checkMode(pickAgent(agents, agent), mode);
    const known = id === undefined ? undefined : await threads.findToSend(id, caller);
    const startedBy = await findStarter(call, known);
    const run = await connection.startRun(async () => {
      const thread = known ?? (await log.createThread(newThread(call, agent, content)));
      const { by, trace } = caller;
      const message = { content, agent, by, ...defined({ mode, model, trace }) };
      return site.conversations.start(thread.id, message, { metadata: { startedBy } });
    });
    return { value: await followRun(call, run, { seconds, after: known?.seq ?? 0 }) };
  },
  run_status: async (ids, call) => ({ value: await describeRun(call, await findRun(call, ids)) }),
  run_wait: async ({ wait: seconds, ...ids }, call) => ({
    value: await followRun(call, await findRun(call, ids), { seconds }),
  }),
  run_stop: async (ids, call) => {
    const run = await findRun(call, ids);
    const { resourceId } = call.access.scope;
    await call.site.conversations.abort(run.runId, { by: call.caller.by, resourceId });
    return { value: await describeRun(call, run) };
  },
  run_send: async ({ threadId: id, message: content, delivery }, call) => {
    const { site, threads, caller } = call;
    const thread = await threads.findToSend(id, caller);
    const startedBy = await findStarter(call, thread);
    const agent = await site.conversations.findAgent(thread);
    await site.options.log.updateThread(id, { metadata: { startedBy } });
    const { by, trace } = caller;
    const message = { content, by, ...defined({ agent, delivery, trace }) };
    return { value: { threadId: id, ...(await site.conversations.send(id, message)) } };
  },
};

/** A thread for a run that is asked for here. */
function newThread({ access: { folder: cwd, scope } }: McpCall, agentId: string, content: string) {
  const { resourceId } = scope;
  return { title: makeTitle(content), metadata: { agentId, ...defined({ cwd }) }, ...defined({ resourceId }) };
}

/** Finds a run of a thread that the caller sees; throws `run_not_found`. */
async function findRun({ site, threads }: McpCall, ids: { readonly threadId: string; readonly runId: string }) {
  await site.runs.find(await threads.find(ids.threadId), ids.runId);
  return ids;
}

/** Returns the requester of a run of a thread; throws `request_forbidden` when runs are nested too deeply. */
async function findStarter({ site, access, caller }: McpCall, thread: Thread | undefined): Promise<StartedBy> {
  const around = await findCallingThreads(site.options.log, caller, access.scope.resourceId);
  const starter = addStarter(thread && readStartedBy(thread), {
    ids: [access.connection, ...caller.ids],
    threads: around,
    runsAround: readMarks(caller).length,
  });
  if (starter.depth <= mostDepth) return starter;
  throw new SingletreeError(
    'request_forbidden',
    `${starter.depth} runs are around this one, and at most ${mostDepth} may be: agents that run agents end here. Do the work yourself, or let a person start the run.`,
  );
}

/** The default wait in seconds; calling programs time out after about a minute. */
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
 * Waits until a run has ended or has a pending relay, at most for a number of seconds, and returns its status. A run
 * that began `after` a seq is followed from its first event on.
 */
async function followRun(
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

/** Returns the status of a run, with its answer when it has ended. */
async function describeRun({ site, threads }: McpCall, run: RunIds): Promise<RunOutput> {
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
  const window = await site.readWindow(threadId, {});
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
