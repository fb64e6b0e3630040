import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { RawLine } from '../../../log/event-log.ts';
import { lineText } from '../../process/line-reader.ts';
import { stderrMessage } from '../agent/output-tail.ts';
import type { ProcessLine } from '../../process/run-process.ts';
import type { LiveRunOptions } from './live-run.ts';
import type { RunProblems } from './run-problems.ts';

interface LineReceiver {
  readonly problems: RunProblems;
  readonly emit: (events: readonly AgentEvent[]) => void;
  /** Handles one message of the program. */
  readonly receive: (text: string, number: number) => void;
}

/** The lines of a program in a run: each is stored as it is, then handled as a message or as a warning. */
export class RunLines {
  readonly #options: LiveRunOptions;
  readonly #receiver: LineReceiver;
  #count: number;

  constructor(options: LiveRunOptions, receiver: LineReceiver) {
    this.#options = options;
    this.#receiver = receiver;
    this.#count = options.params.host.rawBefore ?? 0;
  }

  /** Handles a line; never rejects. */
  async add({ stream, kind, bytes }: ProcessLine): Promise<void> {
    const { runId } = this.#options.params.run;
    const n = ++this.#count;
    await this.#store({ n, ts: new Date().toISOString(), stream, line: bytes });
    if (kind === 'rest') return;
    const text = lineText(kind === 'long' ? bytes.subarray(0, 4096) : bytes);
    if (kind === 'long')
      this.#receiver.emit([{ type: 'unknown', runId, raw: { truncated: true, stream, beginning: text }, line: n }]);
    else if (stream === 'stdout') this.#receiver.receive(text, n);
    else this.#warn(text, n);
  }

  async #store(line: RawLine): Promise<void> {
    const { params, options } = this.#options;
    try {
      await params.host.raw?.(line);
      await options.onRaw?.(params.run.runId, line);
    } catch (error) {
      await this.#receiver.problems.reportError(error);
    }
  }

  #warn(text: string, line: number): void {
    const { adapter, params } = this.#options;
    const warning = stderrMessage(adapter, text);
    if (warning === undefined) return;
    this.#receiver.problems.addPrinted(warning.message);
    // The session is written again then, or a warning says that it is not.
    if (adapter.session?.isUnknown?.test(text) === true) return;
    this.#receiver.emit([{ type: 'warning', runId: params.run.runId, ...warning, line }]);
  }
}
