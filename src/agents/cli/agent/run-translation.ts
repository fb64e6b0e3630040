import { defined } from '../../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import { lineText } from '../../process/line-reader.ts';
import type { ProcessExit, ProcessLine } from '../../process/run-process.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import type { Translator } from '../contract/translator.ts';
import { LastDenial } from './last-denial.ts';
import { OutputTail, stderrMessage } from './output-tail.ts';
import { RunStamp } from './run-stamp.ts';

export interface RunTranslationOptions {
  readonly runId: string;
  readonly adapter: Pick<CliAdapter, 'id' | 'name' | 'denial'>;
  readonly parentId?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly translator: Translator;
  /** The time in ISO 8601; each event carries the time of its line. */
  readonly now: () => string;
}

type EndReason = NonNullable<EventOf<'harness_end'>['reason']>;

/** How a run ended, according to its record; `error` is the failure that ended it. */
export interface RecordedEnd {
  readonly reason: EndReason;
  readonly error?: { readonly message: string; readonly code?: string };
}

/** The result of the process of a run. */
export interface ProcessEnd extends Omit<ProcessExit, 'failedToStart'> {
  /** The end that the record of the run states; takes precedence over the output. */
  readonly recorded?: RecordedEnd;
  /** The output ended before the program reported its end, and its exit status is unknown. */
  readonly isCut?: boolean;
}

/**
 * Translates a whole run of an external program, from its two streams and its exit: `harness_start` to `harness_end`.
 */
export class RunTranslation {
  readonly #options: RunTranslationOptions;
  readonly #tails = { stdout: new OutputTail(), stderr: new OutputTail() };
  readonly #runStamp: RunStamp;
  readonly #denial: LastDenial;

  constructor(options: RunTranslationOptions) {
    this.#options = options;
    this.#runStamp = new RunStamp(options);
    this.#denial = new LastDenial(options.runId);
  }

  start(): AgentEvent[] {
    const { runId, adapter, parentId, cwd, model } = this.#options;
    const event: AgentEvent = {
      type: 'harness_start',
      runId,
      agentId: adapter.id,
      ...defined({ parentId, model, cwd }),
    };
    return this.#stamp([event]);
  }

  /**
   * Returns the events of one line; `number` is its index in the raw record. The beginning of a line that is too long
   * to parse represents it: the raw record contains all of it.
   */
  take({ kind, stream, bytes }: ProcessLine, number: number): AgentEvent[] {
    if (kind === 'rest') return [];
    if (kind === 'line') return this.line(stream, lineText(bytes), number);
    const raw = { truncated: true, stream, beginning: lineText(bytes.subarray(0, 4096)) };
    return this.#stamp([{ type: 'unknown', runId: this.#options.runId, raw, line: number }]);
  }

  /** Returns the events of a line of text, without its line ending. */
  line(stream: 'stdout' | 'stderr', text: string, number: number): AgentEvent[] {
    if (stream === 'stdout') {
      const events = this.#options.translator.translate(text, number);
      if (events.some(event => event.type === 'unknown' && typeof event.raw === 'string')) this.#tails.stdout.add(text);
      for (const event of events) this.#tails.stderr.continued(event);
      this.#runStamp.session(events);
      return this.#stamp(events);
    }
    const { runId, adapter } = this.#options;
    const warning = stderrMessage(adapter, text);
    if (warning === undefined) return [];
    this.#tails.stderr.add(warning.message);
    return this.#stamp([{ type: 'warning', runId, ...warning, line: number }]);
  }

  end(end: ProcessEnd): AgentEvent[] {
    const { runId, translator } = this.#options;
    const agentId = this.#options.adapter.id;
    if (end.recorded !== undefined) return this.#stamp(this.#recordedEnd(end.recorded));
    const events = translator.flush().map(event => (isFatal(event) ? withExit(event, agentId, end) : event));
    const failed = events.some(isFatal);
    const reason: EndReason = end.stopped?.reason ?? translator.failure?.reason ?? (failed ? 'error' : 'complete');
    const failure = failed ? undefined : this.#findFailure(end);
    if (failure !== undefined) events.push({ type: 'error', runId, ...failure, fatal: true });
    const unexplained: EndReason = end.isCut === true ? 'interrupted' : 'complete';
    const ended: EndReason = reason !== 'complete' ? reason : failure === undefined ? unexplained : 'error';
    return this.#stamp([...events, { type: 'harness_end', runId, agentId, reason: ended }]);
  }

  /** Returns the final events of a run whose end is known; does not repeat a failure that was reported as fatal. */
  #recordedEnd({ reason, error }: RecordedEnd): AgentEvent[] {
    const { runId, adapter, translator } = this.#options;
    const events = translator.flush();
    const others = events.filter(event => !isFatal(event));
    const isReported = translator.failure !== undefined && others.length === events.length;
    const fatal: AgentEvent[] =
      error === undefined || isReported ? [] : [{ type: 'error', runId, ...error, fatal: true }];
    return [...others, ...fatal, { type: 'harness_end', runId, agentId: adapter.id, reason }];
  }

  #findFailure(end: ProcessEnd): { message: string; code: string } | undefined {
    const { id, name } = this.#options.adapter;
    if (end.stopped?.reason === 'aborted') return undefined;
    if (end.stopped !== undefined) return { message: end.stopped.message, code: end.stopped.reason };
    const exit = describeExit(id, end);
    const { stderr, stdout } = this.#tails;
    // Who ended the program did not say so on its streams.
    const output = end.signal != null && outerSignals.has(end.signal) ? '' : stderr.text || stdout.text;
    if (exit !== undefined)
      return { message: output === '' ? `${exit}, without saying why.` : `${exit}: ${output}`, code: 'exit_code' };
    const denial = this.#options.translator.isInteractive === true ? undefined : this.#denial.reason;
    return denial === undefined ? undefined : { message: `${name} ${denial}`, code: 'permission_denied' };
  }

  #stamp(events: AgentEvent[]): AgentEvent[] {
    this.#runStamp.stamp(events);
    for (const event of events) this.#denial.take(event);
    return events;
  }
}

/** Signals that other processes send to end a program; any other signal is a crash of the program. */
export const outerSignals: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']);

function isFatal(event: AgentEvent): event is EventOf<'error'> {
  return event.type === 'error' && event.fatal === true;
}

function withExit(event: EventOf<'error'>, agentId: string, end: ProcessEnd): AgentEvent {
  const exit = describeExit(agentId, end);
  return exit === undefined ? event : { ...event, message: `${event.message} (${exit})` };
}

/** Describes a failed exit of a program; undefined when it succeeded or is unknown. */
export function describeExit(agentId: string, { exitCode, signal }: ProcessEnd): string | undefined {
  if (signal !== undefined && signal !== null) return `${agentId} was ended by ${signal}`;
  return exitCode === undefined || exitCode === null || exitCode === 0
    ? undefined
    : `${agentId} exited with code ${exitCode}`;
}
