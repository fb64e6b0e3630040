import { createReadStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Agent, InvokeParams } from '../../agents/contract/agent.ts';
import { RawLines } from '../../agents/cli/saved/raw-lines.ts';
import { rawRecord } from '../../agents/cli/saved/raw-record.ts';
import { removeWrittenSessions } from '../../agents/cli/sessions/remove-sessions.ts';
import { printNotice } from '../../control/standard-output.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { parseEventText } from '../../events/parse.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { RawLine } from '../../log/event-log.ts';
import type { Activity } from '../../projections/activity/activity.ts';
import { createActivityState, projectActivity } from '../../projections/activity/project-activity.ts';
import { writtenSessionsFolder } from '../settings/home.ts';
import { RunTotals } from './run-totals.ts';

/**
 * The record folder of a run. During the run, lines are appended to `raw.jsonl` (program output), `log.jsonl` (log
 * events) and `events.jsonl` (activity). `run.json` describes the run and its outcome.
 */
export class RunRecord {
  readonly folder: string;
  readonly #raw: FileHandle;
  readonly #log: FileHandle;
  readonly #events: FileHandle;
  readonly #lines = new RawLines();
  readonly #state = createActivityState();

  private constructor(folder: string, [raw, log, events]: readonly [FileHandle, FileHandle, FileHandle]) {
    this.folder = folder;
    this.#raw = raw;
    this.#log = log;
    this.#events = events;
  }

  /**
   * Opens the record of a run; a resumed run appends to its record. Converts records of earlier versions, which have
   * the events of the log in `events.jsonl` and no `log.jsonl`.
   */
  static async open(folder: string, { isResumed = false } = {}): Promise<RunRecord> {
    mkdirSync(folder, { recursive: true });
    const [log, events] = [join(folder, 'log.jsonl'), join(folder, 'events.jsonl')];
    const isOld = isResumed && !existsSync(log) && existsSync(events);
    if (isOld) renameSync(events, log);
    const flags = isResumed ? 'a' : 'w';
    const record = new RunRecord(folder, [
      await open(join(folder, 'raw.jsonl'), flags),
      await open(log, flags),
      await open(events, flags),
    ]);
    if (isResumed)
      for await (const event of eventsIn(log)) {
        const activity = record.#project(event);
        if (isOld) await write(record.#events, activity);
      }
    return record;
  }

  async raw(line: RawLine): Promise<void> {
    this.#lines.add(line.n, line.line);
    await write(this.#raw, [rawRecord(line)]);
  }

  /** Stores an event and the activity that it adds; returns that activity. */
  async event(event: AgentEvent): Promise<readonly Activity[]> {
    const activity = this.#project(event);
    await write(this.#log, [event]);
    await write(this.#events, activity);
    return activity;
  }

  async describe(description: object): Promise<void> {
    await writeFile(join(this.folder, 'run.json'), `${JSON.stringify(description, undefined, 2)}\n`);
  }

  async close(): Promise<void> {
    await Promise.all([this.#raw.close(), this.#log.close(), this.#events.close()]);
  }

  #project(event: AgentEvent): readonly Activity[] {
    const activity = projectActivity(this.#state, event, this.#lines.lineOf);
    this.#lines.passed(event);
    return activity;
  }
}

/** Appends one line of JSON for each value. */
async function write(file: FileHandle, values: readonly unknown[]): Promise<void> {
  if (values.length > 0) await file.appendFile(values.map(value => `${JSON.stringify(value)}\n`).join(''));
}

/** Yields the events in a file; ignores a truncated line of a killed process. */
async function* eventsIn(file: string): AsyncGenerator<AgentEvent> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    try {
      yield parseEventText(line, file);
    } catch (error) {
      if (!(error instanceof SingletreeError)) throw error;
    }
  }
}

const ownRunId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Removes the record folders of runs and the sessions that were written for them; ignores ids that are not ours. Prints
 * why a session stays in the store of its program.
 */
export async function removeRunFolders(home: string, runIds: readonly string[]): Promise<void> {
  const own = runIds.filter(runId => ownRunId.test(runId));
  for (const runId of own) await rm(join(home, 'runs', runId), { recursive: true, force: true });
  for (const problem of await removeWrittenSessions(writtenSessionsFolder(home), own)) printNotice(problem);
}

/** Wraps an agent so that each of its runs is also recorded in a folder. */
export function recordedAgent(agent: Agent, folderOf: (runId: string) => string): Agent {
  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    const { runId } = params.run;
    const record = await RunRecord.open(folderOf(runId), { isResumed: params.run.resume !== undefined });
    const totals = new RunTotals();
    const description = { runId, agent: agent.id, startedAt: new Date().toISOString() };
    await record.describe({ ...description, outcome: 'running' });
    const raw = async (line: RawLine) => {
      await params.host.raw?.(line);
      await record.raw(line);
    };
    let isClosed = false;
    const close = async (outcome: string) => {
      if (isClosed) return;
      isClosed = true;
      const { usage, error } = totals;
      const { inputTokens, outputTokens, cost } = usage;
      const endedAt = new Date().toISOString();
      await record.describe({ ...description, endedAt, outcome, usage: { inputTokens, outputTokens, cost }, error });
      await record.close();
    };
    try {
      for await (const event of agent.invoke({ ...params, host: { ...params.host, raw } })) {
        totals.add(event);
        await record.event({ ...event, ts: event.ts ?? new Date().toISOString() });
        // A consumer of the last event may not request another one.
        if (event.type === 'harness_end' && event.runId === runId) await close(event.reason ?? 'complete');
        yield event;
      }
    } finally {
      await close('aborted');
    }
  }
  return { ...agent, invoke };
}
