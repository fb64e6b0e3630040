import { userInfo } from 'node:os';
import type { Redactor } from '../../agents/redaction/redactor.ts';
import { redactedEvents } from '../../server/security/redacted-events.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { liveRunOf } from '../../control/supervision/live-run.ts';
import { requestSteering } from '../../control/supervision/steer-request.ts';
import { defined } from '../../events/defined.ts';
import { newId, SingletreeError } from '../../events/index.ts';
import { type EventLog, readEvents, type Thread } from '../../log/index.ts';
import { markFollowUp, noFollowUp, noteOf } from '../../server/follow-ups.ts';
import { ThreadDigests } from '../../server/thread-digests.ts';
import { runAtTerminal, type TerminalRun } from '../run/run-at-terminal.ts';
import { findThread } from '../threads/find-thread.ts';
import { threadAgent } from '../threads/thread-agent.ts';
import { withLog } from '../threads/with-log.ts';
import type { SendOptions } from './command.ts';
import { exitCodeOf, followAnswer } from './follow-answer.ts';
import { standardError, standardOutput } from '../../control/standard-output.ts';

/**
 * Sends a message to a thread of a store and prints the answer: into the run that another process owns, else as the next
 * turn, which runs here. Returns the exit code.
 */
export async function sendToStore(named: string, content: string, options: SendOptions): Promise<number> {
  const next = await withLog(options, async (log, redactor): Promise<number | NextTurn> => {
    const thread = await findThread(log, named);
    const active = await liveRunOf(log, thread);
    if (active !== undefined) return sendIntoRun({ log, redactor }, { thread, runId: active.runId, content }, options);
    if (!options.wait)
      throw new SingletreeError(
        'invalid_argument',
        'Nothing runs in this thread: the message starts a run here, which has to be waited for. Leave out --no-wait, or use --server.',
      );
    return { threadId: thread.id, name: await agentOf(log, thread), prompt: content, extraArgs: [] };
  });
  return typeof next === 'number' ? next : runHere(next, options);
}

/** A turn that runs in this process. */
type NextTurn = TerminalRun & { readonly threadId: string };

/** How long to wait, and how often, while another process begins or ends a run of the thread. */
const heldMs = 100;
const heldTries = 20;

async function runHere(next: NextTurn, options: SendOptions): Promise<number> {
  const output = options.json === true ? ({ output: 'events' } as const) : ({ output: 'pretty' } as const);
  let { start } = next;
  for (let tries = 1; ; tries++)
    try {
      return await runAtTerminal({ ...next, ...defined({ start }) }, { ...options, ...output, resume: next.threadId });
    } catch (error) {
      const isHeld = SingletreeError.is(error, 'lease_held');
      if (tries >= heldTries || (!isHeld && !SingletreeError.is(error, 'seq_conflict'))) throw error;
      if (isHeld) await delay(heldMs);
      const { id: messageId, expectedSeq: after } = start ?? {};
      if (messageId === undefined || after === undefined) continue;
      // A server may have delivered it meanwhile.
      const delivered = await withLog(options, async (log, redactor) => {
        for await (const event of readEvents(log, next.threadId, after))
          if (event.type === 'user' && event.id === messageId)
            return followAnswer(
              redactedEvents(log.tail(next.threadId, event.seq - 1), redactor),
              { messageId },
              options.json === true,
            );
        start = { ...start, expectedSeq: (await findThread(log, next.threadId)).seq };
        return undefined;
      });
      if (delivered !== undefined) return exitCodeOf(delivered);
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
  const by = userInfo().username;
  const agent = await agentOf(log, thread);
  const delivery: 'follow_up' | 'steer' = followUp ? 'follow_up' : 'steer';
  const message = { id, content, by, agent, delivery, ...defined({ model }) };
  if (followUp) await markFollowUp(log, thread.id, { id, message: noteOf(message, runId) });
  else await requestSteering(log, thread.id, { runId, id, content, by, note: noteOf(message, runId) });
  if (!wait) {
    const receipt = { threadId: thread.id, messageId: id, runId, ...(followUp ? { queued: true } : { steered: true }) };
    await (json ? standardOutput.writeJson(receipt) : standardOutput.write(`sent to thread ${thread.id}\n`));
    return 0;
  }
  const where = followUp ? 'waits until the active run has ended' : 'goes into the active run';
  await standardError.write(`The message ${where}. Ctrl-C stops waiting for the answer only.\n`);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const events = redactedEvents(log.tail(thread.id, thread.seq, { signal: stop.signal }), redactor);
  const end = await followAnswer(events, { messageId: id, activeRunId: runId }, json);
  if (end !== 'unread') return exitCodeOf(end);
  const { seq: expectedSeq } = await findThread(log, thread.id);
  const start = { id, metadata: noFollowUp(id), expectedSeq };
  return { threadId: thread.id, name: agent, prompt: content, extraArgs: [], start };
}

/** Returns the agent of the newest turn of a thread; throws when it has none here. */
async function agentOf(log: EventLog, thread: Thread): Promise<string> {
  const agent = await threadAgent(new ThreadDigests(log), thread);
  if (agent !== undefined) return agent;
  throw new SingletreeError(
    'invalid_argument',
    `No agent has worked in this thread here yet. Name one: singletree run <agent> "…" --resume ${thread.id}`,
  );
}
