import type { ConversationStatus } from '../control/conversations/conversation-reader.ts';
import type { Conversations } from '../control/conversations/conversations.ts';
import { ThreadFolds } from '../control/threads/thread-folds.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { EventLog, Thread } from '../log/event-log.ts';
import { type RunStanding, runStatus } from '../projections/run-status.ts';
import type { RunInfo } from '../protocols/http-api.ts';
import { inheritedSeq, isOwnEvent } from '../log/own-events.ts';
import { nextTurn } from '../log/next-turn.ts';

const nothing: Pick<ConversationStatus, 'state' | 'runs'> = { state: 'idle', runs: [] };

/** Reads the status of the runs of threads; a repeated read of a thread costs only its new events. */
export class RunStandings {
  readonly #log: EventLog;
  readonly #conversations: Conversations;
  readonly #folds;

  constructor(log: EventLog, conversations: Conversations) {
    this.#log = log;
    this.#conversations = conversations;
    this.#folds = new ThreadFolds(log, runStatus, { most: 200 });
  }

  /** Returns the runs of a thread, oldest first. A run that has no end and that no process works on is interrupted. */
  async list(thread: Thread): Promise<RunInfo[]> {
    const runs = await this.#folds.of(thread);
    const current = await this.#log.getThread(thread.id);
    const { state, runs: open } = current === undefined ? nothing : await this.#conversations.status(current);
    const isWorkedOn = open.length > 0 && state !== 'interrupted';
    const requested = open.flatMap(({ runId, agentId }): RunStanding[] =>
      runs.some(run => run.runId === runId) ? [] : [{ runId, agentId, status: 'running', openCalls: 0, openRelays: 0 }],
    );
    return [...runs, ...requested].map(run => ({
      ...run,
      ...(!isWorkedOn && run.endedAt === undefined && { status: 'interrupted' }),
    }));
  }

  /** Returns one run of a thread; throws `run_not_found`. */
  async find(thread: Thread, runId: string): Promise<RunInfo> {
    const run = (await this.list(thread)).find(each => each.runId === runId);
    if (run !== undefined) return run;
    throw new SingletreeError('run_not_found', `No run "${runId}" was found here.`, { details: { runId } });
  }
}

/** The page size after which other tasks get their turn. */
const page = { limit: 500, maxBytes: 256 * 1024 };

/** Returns the ids of the runs that began in a thread: not those of events that it imported or shares with another thread. */
export async function listRunIds(log: EventLog, thread: Thread): Promise<string[]> {
  const runIds = new Set<string>();
  for (let after = inheritedSeq(thread); ; ) {
    const texts = await log.readTexts(thread.id, { after, ...page });
    if (texts.length === 0) return [...runIds];
    for (const text of texts) {
      after++;
      // Skips parsing of other events, which are nearly all of them.
      if (!text.includes('"harness_start"') || !isOwnEvent(thread, after)) continue;
      const event = JSON.parse(text) as { readonly type: string; readonly runId: string };
      if (event.type === 'harness_start') runIds.add(event.runId);
    }
    await nextTurn();
  }
}
