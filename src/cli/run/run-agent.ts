import { join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { Conversations } from '../../control/conversations/conversations.ts';
import type { RunHandle } from '../../control/supervision/run-control.ts';
import type { RunOutcome } from '../../control/supervision/run-counts.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import type { SupervisorOptions } from '../../control/supervision/supervisor-options.ts';
import { ignoreDiagnostic, type OnDiagnostic } from '../../base/diagnostics.ts';
import type { RunTrace } from '../../events/trace-context.ts';
import { resumeCommand } from '../../control/conversations/conversation-reader.ts';
import { makeTitle } from '../../control/conversations/thread-titles.ts';
import { listOpenRuns } from '../../control/supervision/open-runs.ts';
import type { Agent } from '../../agents/contract/agent.ts';
import type { RelayAnswer } from '../../agents/contract/host.ts';
import { redactedEvents } from '../../agents/redaction/redacted-events.ts';
import type { Redactor } from '../../agents/redaction/redactor.ts';
import type { ContentPart } from '../../events/content.ts';
import type { EventOf, LoggedEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { RawLine, Thread } from '../../log/event-log.ts';
import type { Activity } from '../../projections/activity/activity.ts';
import { closedTerminal } from '../../terminal/session/process-exits.ts';
import { branchAt } from '../../control/rewind/branch-at.ts';
import type { WorktreePlace } from '../../control/worktrees/comparison.ts';
import { placeBranch } from '../../control/worktrees/send-in-branch.ts';
import type { Worktrees } from '../../control/worktrees/worktrees.ts';
import { RunRecord } from './run-record.ts';
import { RunTotals } from './run-totals.ts';
import type { RunnableAgent } from '../agents/runnable-agent.ts';
import { findThreadToContinue } from '../threads/find-thread.ts';
import { printNotice } from '../../control/standard-output.ts';

export interface RunRequest extends Pick<SupervisorOptions, 'log' | 'telemetry' | 'limits' | 'onDiagnostic'> {
  /** Redacts secrets from the events for watchers; the log and the record are not redacted. */
  readonly redactor: Redactor;
  readonly agent: RunnableAgent;
  readonly cwd: string;
  /** Without one the interrupted run of the thread is resumed, else its next waiting message is delivered. */
  readonly prompt?: string;
  /** The images and files of the prompt. */
  readonly attachments?: readonly ContentPart[];
  /** Whether the run delivers the next waiting message of the thread. */
  readonly delivers?: boolean;
  /** The answer to a relay of the interrupted run; it is applied after the run was resumed. */
  readonly answer?: RelayAnswer;
  /** The thread to continue: its id, a unique beginning of it, or `last`. Default: a new one. */
  readonly threadId?: string;
  /** Continues a branch after the message `at`, by default the newest one; `worktrees` creates a worktree for it. */
  readonly branch?: { readonly at?: string | undefined; readonly worktrees?: Worktrees | undefined };
  /** Returns the folder for the record of a run. */
  readonly folderOf: (runId: string) => string;
  /** Whether a person can be asked, here or through the inbox. */
  readonly hasPerson: boolean;
  /** The trace of the caller. */
  readonly trace?: RunTrace;
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** Aborts when the terminal was closed: a resumable run stays open, any other is stopped. */
  readonly closed?: AbortSignal;
}

/** The callbacks of a run; the run waits for each of them. */
export interface RunWatcher {
  started?(runId: string, thread: Thread): Promise<void>;
  raw?(line: RawLine): Promise<unknown>;
  event?(event: LoggedEvent): Promise<unknown>;
  activity?(activity: Activity): Promise<unknown>;
  /** Called without waiting when a relay opens: `answer` stores an answer and rejects when it is no longer valid. */
  asked?(relay: EventOf<'relay'>, answer: (answer: Omit<RelayAnswer, 'relayId'>) => Promise<void>): void;
  /** Called when a relay was answered or closed. */
  resolved?(relayId: string): void;
}

export interface RunReport {
  readonly outcome: RunOutcome;
  readonly totals: RunTotals;
  readonly threadId: string;
  /** The description of the run in `run.json`. */
  readonly description: { readonly runId: string };
  readonly folder: string;
}

/** Runs an agent on a thread and records the run in a folder; rejects with `not_found` without a message to deliver. */
export async function runAgent(request: RunRequest, watcher: RunWatcher): Promise<RunReport> {
  const { log, prompt, delivers = false, signal, closed } = request;
  const isResumed = prompt === undefined && !delivers;
  const started = Date.now();
  const thread = await threadFor(request);
  let record: RunRecord | undefined;
  const onRaw = async (runId: string, line: RawLine): Promise<void> => {
    record ??= await RunRecord.open(request.folderOf(runId), { isResumed });
    await record.raw(line);
    await watcher.raw?.(line);
  };
  const created = request.agent.create(onRaw);
  const worktrees = request.branch?.worktrees;
  const place: WorktreePlace = worktrees === undefined ? {} : await placeBranch({ log, worktrees }, thread.id, created);
  const placed = place.agent ?? created;
  const agent = request.hasPerson ? placed : withoutAnswers(placed);
  const { telemetry, limits, onDiagnostic } = request;
  const supervision = { log, ...defined({ telemetry, limits, onDiagnostic }) };
  const supervisor = new Supervisor({ ...supervision, graceMs: 5_000, agents: [agent] });
  const agents = { list: () => [agent], get: (id: string) => (id === agent.id ? agent : undefined) };
  const conversations = new Conversations({ log, control: supervisor, agents });
  const totals = new RunTotals();
  try {
    if (place.folder !== undefined) await conversations.move(thread.id, place.folder);
    const run = await startOrResume(supervisor, conversations, thread, request);
    if (request.answer !== undefined) await giveAnswer(conversations, thread.id, request.answer);
    await watcher.started?.(run.runId, thread);
    const stop = () => void abortRun(conversations, run, onDiagnostic);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const again = resumeCommand(request.agent.id, thread.id);
    const detach = () => (agent.abilities?.resumable === true ? void supervisor.close(closedTerminal(again)) : stop());
    closed?.addEventListener('abort', detach, { once: true });
    if (closed?.aborted === true) detach();
    record ??= await RunRecord.open(request.folderOf(run.runId), { isResumed });
    const description = {
      runId: run.runId,
      threadId: thread.id,
      agent: request.agent.id,
      prompt,
      cwd: request.cwd,
      startedAt: new Date(started).toISOString(),
    };
    await record.describe({ ...description, outcome: 'running' });
    if (isResumed)
      for (const { relay } of (await conversations.inbox.of(thread)).pending)
        if ((relay.seq ?? 0) <= thread.seq && relay.id !== request.answer?.relayId)
          watcher.asked?.(relay, answer => conversations.answer(thread.id, relay.id, answer));
    const tailed = agent.abilities?.resumable === true ? defined({ signal: closed }) : {};
    const recorded = record;
    const events = (async function* () {
      for await (const event of log.tail(thread.id, thread.seq, tailed)) {
        const added = await recorded.event(event);
        totals.add(event);
        yield event;
        // A user may edit the input of a call, so it must not be redacted.
        if (event.type === 'relay') watcher.asked?.(event, answer => conversations.answer(thread.id, event.id, answer));
        if (event.type === 'relay_resolved') watcher.resolved?.(event.relayId);
        for (const activity of added) {
          totals.addActivity(activity);
          await watcher.activity?.(activity);
        }
        if (event.type === 'harness_end' && event.runId === run.runId) return;
      }
    })();
    for await (const event of redactedEvents(events, request.redactor)) await watcher.event?.(event);
    const outcome = await run.done;
    const { usage, filesChanged, denied, error, errorCode } = totals;
    const { inputTokens, outputTokens, cost } = usage;
    const ended = {
      ...description,
      endedAt: new Date().toISOString(),
      outcome,
      usage: { inputTokens, outputTokens, cost },
      filesChanged,
      denied,
      error,
      errorCode,
    };
    await record.describe(ended);
    return { outcome, totals, threadId: thread.id, description: ended, folder: record.folder };
  } finally {
    await supervisor.close();
    await record?.close();
  }
}

/** Answers a relay that was opened before the run was resumed; prints a notice when it is already closed. */
async function giveAnswer(
  conversations: Conversations,
  threadId: string,
  { relayId, ...answer }: RelayAnswer,
): Promise<void> {
  try {
    await conversations.answer(threadId, relayId, answer);
  } catch (error) {
    if (!SingletreeError.is(error, 'relay_resolved')) throw error;
    printNotice(error.message);
  }
}

/** Aborts a run at the user's request; does nothing when it has already ended. */
export async function abortRun(
  conversations: Conversations,
  { runId, threadId }: RunHandle,
  onDiagnostic: OnDiagnostic = ignoreDiagnostic,
): Promise<void> {
  try {
    await conversations.abort(runId);
  } catch (cause) {
    if (!SingletreeError.is(cause, 'run_not_found')) onDiagnostic({ code: 'abort_failed', threadId, cause });
  }
}

/** Wraps an agent so that calls which rules do not allow are denied instead of asked about. */
export function withoutAnswers(agent: Agent): Agent {
  return { ...agent, abilities: { ...agent.abilities, asksNobody: true }, invoke: params => agent.invoke(params) };
}

/** Starts a run with the prompt, delivers the next waiting message, or resumes the run of the thread whose process ended. */
async function startOrResume(
  supervisor: Supervisor,
  conversations: Conversations,
  thread: Thread,
  { prompt, attachments = [], delivers = false, trace, agent: { id, mode } }: RunRequest,
): Promise<RunHandle> {
  if (delivers) {
    const next = await conversations.next(thread.id);
    if (next !== undefined) return next.run;
    throw new SingletreeError('not_found', 'No message waits in this thread that can be delivered here.');
  }
  if (prompt !== undefined) {
    const content = attachments.length === 0 ? prompt : [{ type: 'text' as const, text: prompt }, ...attachments];
    return conversations.start(thread.id, { content, mode, trace });
  }
  const other = listOpenRuns(thread).find(({ agentId }) => agentId !== id);
  if (other !== undefined)
    throw new SingletreeError(
      'invalid_argument',
      `The interrupted run is one of the agent "${other.agentId}": ${resumeCommand(other.agentId, thread.id)}`,
    );
  const { here, elsewhere } = await supervisor.takeOver(thread.id);
  if (here[0] !== undefined) return here[0];
  if (elsewhere.length > 0)
    throw new SingletreeError(
      'run_under_way',
      `Another process runs this thread. Watch it: singletree show ${thread.id} --follow`,
    );
  throw new SingletreeError(
    'invalid_argument',
    `No interrupted run of "${id}" can be resumed in this thread. Give a prompt to continue the conversation.`,
  );
}

async function threadFor({ log, threadId, prompt = '', agent, cwd, branch }: RunRequest): Promise<Thread> {
  if (threadId === undefined)
    return log.createThread({ title: makeTitle(prompt), metadata: { agentId: agent.id, cwd } });
  const found = await findThreadToContinue(log, threadId, cwd);
  return branch === undefined ? found : branchAt(log, found, branch.at);
}

/** The folder of the run records. */
export function runsFolder(home: string, runId: string): string {
  return join(home, 'runs', runId);
}
