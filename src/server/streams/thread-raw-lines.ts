import { RawLines } from '../../agents/cli/saved/raw-lines.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';

/** The raw lines of the external agents of a thread, read as its events are encoded. */
export class ThreadRawLines {
  readonly #log: EventLog;
  readonly #threadId: string;
  readonly #runs = new Map<string, RawLines>();

  constructor(log: EventLog, threadId: string) {
    this.#log = log;
    this.#threadId = threadId;
  }

  /** Returns the record on a line of a run or of its subagent; undefined when it was not read or is no longer held. */
  readonly lineOf = (line: number, runId: string): unknown => this.#runs.get(getMainRun(runId))?.lineOf(line);

  /** Loads the raw line of a tool event; call it before the event is encoded. */
  async read(event: LoggedEvent): Promise<void> {
    const { type, line, runId } = event;
    if ((type !== 'tool_call' && type !== 'tool_result') || line === undefined) return;
    const run = getMainRun(runId);
    const [raw] = await this.#log.readRaw(this.#threadId, run, { after: line - 1, limit: 1 });
    if (raw === undefined) return;
    const lines = this.#runs.get(run) ?? new RawLines();
    this.#runs.set(run, lines);
    lines.add(line, raw.line);
  }

  /** Releases what is no longer needed, after an event was encoded. */
  passed(event: LoggedEvent): void {
    this.#runs.get(getMainRun(event.runId))?.passed(event);
    if (event.type === 'harness_end') this.#runs.delete(event.runId);
  }
}

/** A program's lines belong to its main run, whose id begins those of its subagents. */
function getMainRun(runId: string): string {
  return runId.split('/', 1)[0] as string;
}
