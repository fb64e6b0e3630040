import { exitCodeFor } from '../run/run-totals.ts';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Redactor } from '../../agents/redaction/redactor.ts';
import { redactedEvents } from '../../agents/redaction/redacted-events.ts';
import { Conversations } from '../../control/conversations/conversations.ts';
import { ConversationReader } from '../../control/conversations/conversation-reader.ts';
import { checkOutsideRuns } from '../../control/conversations/inside-run.ts';
import { defined } from '../../base/defined.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { runAtTerminal, type TerminalRun } from '../run/run-at-terminal.ts';
import { readCallerTrace } from '../settings/telemetry.ts';
import { findThreadToContinue } from '../threads/find-thread.ts';
import { withLog } from '../settings/site.ts';
import { ThreadView } from '../../terminal/session/run-screen.ts';
import type { SendOptions } from './command.ts';
import { followAnswer } from './follow-answer.ts';
import { standardError, standardOutput } from '../../control/standard-output.ts';

/**
 * Sends a message to a thread of a store and prints the answer: into the run that another process owns, else as the next
 * turn, which runs here. Returns the exit code.
 */
export async function sendToStore(named: string, content: string, options: SendOptions): Promise<number> {
  const next = await withLog(options, async (log, redactor): Promise<number | NextTurn> => {
    const thread = await findThreadToContinue(log, named, resolve(options.cwd ?? '.'));
    await checkOutsideRuns(log, thread);
    const { state, runs } = await new ConversationReader(log).status(thread);
    const active = state === 'interrupted' ? undefined : runs[0];
    if (active !== undefined) return sendIntoRun({ log, redactor }, { thread, runId: active.runId, content }, options);
    if (!options.wait)
      throw new SingletreeError(
        'invalid_argument',
        'Nothing runs in this thread: the message starts a run here, which has to be waited for. Leave out --no-wait, or use --server.',
      );
    return { threadId: thread.id, name: await findAgent(log, thread), prompt: content, extraArgs: [] };
  });
  return typeof next === 'number' ? next : runHere(next, options);
}

/** A turn that runs in this process. */
type NextTurn = TerminalRun & {
  readonly threadId: string;
  /** The message that it delivers, and the newest event before it. */
  readonly waiting?: { readonly id: string; readonly after: number };
};

async function runHere(next: NextTurn, options: SendOptions): Promise<number> {
  const output = options.json === true ? ({ output: 'events' } as const) : {};
  try {
    // Waiting for the agent's answer does not include waiting for a user: without a terminal, "ask" means "deny".
    return await runAtTerminal(next, { ...options, ...output, wait: false, resume: next.threadId });
  } catch (error) {
    const { threadId, waiting } = next;
    if (waiting === undefined || !SingletreeError.is(error, 'not_found')) throw error;
    // Another process delivers it.
    const follow = async (log: EventLog, redactor: Redactor) => {
      const view = options.json === true ? undefined : await ThreadView.open(log, threadId, waiting.after);
      const events = redactedEvents(log.tail(threadId, waiting.after), redactor);
      return followAnswer(events, { messageId: waiting.id }, view);
    };
    return exitCodeFor(await withLog(options, follow));
  }
}

interface IntoRun {
  readonly thread: Thread;
  readonly runId: string;
  readonly content: string;
}

async function sendIntoRun(
  { log, redactor }: { readonly log: EventLog; readonly redactor: Redactor },
  { thread, runId, content }: IntoRun,
  { model, followUp = false, wait, json = false }: SendOptions,
): Promise<number | NextTurn> {
  const id = newId();
  const agent = await findAgent(log, thread);
  const delivery = followUp ? ('follow_up' as const) : ('steer' as const);
  const message = {
    id,
    content,
    by: userInfo().username,
    agent,
    delivery,
    ...defined({ model, trace: readCallerTrace() }),
  };
  // Nothing is delivered here; the signal ends the wait for the run.
  const accepted = await new Conversations({ log, signal: AbortSignal.abort() }).enqueue(thread.id, message);
  // The run has already ended, so the message starts a turn here.
  if (accepted === undefined) return { threadId: thread.id, name: agent, prompt: content, extraArgs: [] };
  if (!wait) {
    const receipt = { threadId: thread.id, messageId: id, runId, ...(followUp ? { queued: true } : { steered: true }) };
    await (json ? standardOutput.writeJson(receipt) : standardOutput.write(`sent to thread ${thread.id}\n`));
    return 0;
  }
  const where = followUp ? 'waits until the active run has ended' : 'goes into the active run';
  await standardError.write(`The message ${where}. Ctrl-C stops waiting for the answer only.\n`);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const view = json ? undefined : await ThreadView.open(log, thread.id, thread.seq);
  const events = redactedEvents(log.tail(thread.id, thread.seq, { signal: stop.signal }), redactor);
  const end = await followAnswer(events, { messageId: id, activeRunId: runId }, view);
  if (end !== 'unread') return exitCodeFor(end);
  // The next run of the thread, in this or another process, delivers it.
  const waiting = { id, after: thread.seq };
  return { threadId: thread.id, name: agent, prompt: undefined, delivers: true, extraArgs: [], waiting };
}

/** Returns the agent of the newest turn of a thread; throws when the thread has none. */
async function findAgent(log: EventLog, thread: Thread): Promise<string> {
  const agent = await new ConversationReader(log).findAgent(thread);
  if (agent !== undefined) return agent;
  throw new SingletreeError(
    'invalid_argument',
    `No agent has worked in this thread here yet. Name one: singletree run <agent> "…" --resume ${thread.id}`,
  );
}
