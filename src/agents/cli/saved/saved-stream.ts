import { defined } from '../../../base/defined.ts';
import * as z from 'zod';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { newId } from '../../../events/ids.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { optionsCheck } from '../../../base/options/check-options.ts';
import { name } from '../../../base/options/option-fields.ts';
import { adapterNamed } from '../adapters/adapter-named.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { lineText } from '../../process/line-reader.ts';
import { type RecordedEnd, RunTranslation } from '../agent/run-translation.ts';
import { withCost } from '../agent/usage-cost.ts';
import { RawLines } from './raw-lines.ts';
import { type SavedChunks, savedLines } from './saved-lines.ts';

export interface SavedStreamOptions {
  /** The id of the run. Default: a new one. */
  readonly runId?: string;
  /** The folder the program worked in, when its output does not name it. */
  readonly cwd?: string;
  /** The model, when its output does not name it. */
  readonly model?: string;
  /** The exit code of the program. Default: unknown. */
  readonly exitCode?: number;
  /** The end of the run, if its record states it. Default: derived from the output and the exit code. */
  readonly end?: RecordedEnd;
}

/** The reasons that a run ends for. */
export const endReason = z.enum([
  'complete',
  'max_iterations',
  'limit_reached',
  'aborted',
  'error',
  'timeout',
  'interrupted',
]);

const recordedEnd = z.object({
  reason: endReason,
  error: z.object({ message: z.string(), code: z.string().optional() }).optional(),
});

const checkOptions = optionsCheck<SavedStreamOptions>('readSavedStream')(() => ({
  runId: name().optional(),
  cwd: name().optional(),
  model: name().optional(),
  exitCode: z.int().optional(),
  end: recordedEnd.optional(),
}));

/** The events of a saved stream, to be iterated once. */
export interface SavedStream extends AsyncIterable<AgentEvent> {
  /** Returns the record on the line of an event, for `activityEncoder`, until the next event is requested. */
  readonly lineOf: (line: number) => unknown;
  /** The number of non-blank stdout lines so far, and of those that were understood or are expected plain text. */
  readonly count: { readonly lines: number; readonly understood: number };
}

/**
 * Translates the saved output of an external agent to the events of a run, from `harness_start` to `harness_end`. Takes
 * the output of the program in print mode or over its interactive channel, or the `raw.jsonl` of a run, whose times are
 * kept. Throws `invalid_argument` for an unknown agent, and during iteration for an empty stream without a given end.
 */
export function readSavedStream(
  agent: string | CliAdapter,
  chunks: SavedChunks,
  options: SavedStreamOptions = {},
): SavedStream {
  checkOptions(options);
  const adapter = adapterNamed(agent);
  const { runId = newId(), cwd, model, exitCode, end } = options;
  const translator = adapter.translator({ runId });
  const lines = new RawLines();
  const count = { lines: 0, understood: 0 };
  let time: string | undefined;
  const run = new RunTranslation({
    runId,
    adapter,
    translator,
    now: () => time ?? new Date().toISOString(),
    ...defined({ cwd, model }),
  });

  function isUnderstood(event: AgentEvent): boolean {
    return event.type !== 'unknown' || (adapter.printsPlainText === true && typeof event.raw === 'string');
  }

  async function* events(): AsyncGenerator<AgentEvent> {
    let [number, isStarted] = [0, false];
    for await (const line of savedLines(chunks)) {
      number++;
      time = line.ts;
      const isBlank = line.kind === 'line' && lineText(line.bytes).trim() === '';
      if (!isBlank && !isStarted) yield* run.start();
      isStarted ||= !isBlank;
      lines.add(number, line.bytes);
      const made = run.take(line, number);
      if (!isBlank && line.stream === 'stdout') {
        count.lines++;
        if (made.length === 0 || made.some(isUnderstood)) count.understood++;
      }
      for (const event of made) {
        yield withCost(adapter, event);
        lines.passed(event);
      }
    }
    if (!isStarted && end !== undefined) yield* run.start();
    else if (!isStarted) throw new SingletreeError('invalid_argument', emptyStream(adapter.name));
    yield* run.end({ isCut: !translator.finished, ...defined({ exitCode, recorded: end }) });
  }

  return { lineOf: lines.lineOf, count, [Symbol.asyncIterator]: events };
}

function emptyStream(program: string): string {
  return `The saved stream is empty. Expected the output of ${program}, or the raw.jsonl of one of its runs.`;
}
