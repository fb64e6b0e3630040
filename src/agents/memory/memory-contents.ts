import { defined } from '../../base/defined.ts';
import type { InputSpan } from '../../projections/model-input/input-span.ts';
import type { RunInput } from '../../projections/model-input/run-input.ts';
import { compactionMessage, isObservation } from '../../projections/model-input/summary-messages.ts';
import { countTokens } from '../model/tokens/tokens.ts';
import type { BufferedSummaries, SummaryEvent } from '../contract/memory.ts';
import { type Chunk, toChunks, sumTokens, type WeighedSpan } from './observation-plan.ts';

/** A snapshot of the memory of a run. */
export interface MemoryContents {
  /** The spans that no observation in effect covers. */
  readonly spans: readonly (WeighedSpan & Pick<InputSpan, 'messages' | 'ts'>)[];
  readonly pendingTokens: number;
  /** The observations in effect, oldest first. */
  readonly observations: readonly SummaryEvent[];
  readonly observationTokens: number;
  /** The buffered observations that can take effect. */
  readonly chunks: readonly Chunk[];
  /** The buffered reflection that can take effect. */
  readonly reflection: SummaryEvent | undefined;
}

/** Reads the memory contents from the input of its run and the buffered summaries of its thread. */
export async function memoryContents(input: RunInput, buffered: BufferedSummaries): Promise<MemoryContents> {
  const { history, run } = input.spans();
  const spans: MemoryContents['spans'][number][] = [];
  const observations: SummaryEvent[] = [];
  let group = 0;
  for (const part of [history, run]) {
    group++;
    for (const { name, ts, summary, messages } of part)
      if (summary !== undefined && isObservation(summary)) {
        observations.push(summary.event);
        group++;
      } else {
        const shown = summary === undefined ? messages : [compactionMessage(summary.text)];
        const tokens = await countTokens(shown);
        spans.push({ name, group, messages: shown, tokens, ...defined({ ts }) });
      }
  }
  return {
    spans,
    pendingTokens: sumTokens(spans),
    observations,
    observationTokens: await tokensOfSummaries(observations),
    chunks: toChunks(spans, buffered),
    reflection: findReflection(observations, buffered),
  };
}

/** Returns the tokens of summaries. */
export async function tokensOfSummaries(summaries: readonly SummaryEvent[]): Promise<number> {
  let sum = 0;
  for (const { text, tokens } of summaries) sum += tokens ?? (await countTokens([{ role: 'user', content: text }]));
  return sum;
}

/** Returns the newest buffered reflection of the oldest observations. */
function findReflection(observations: readonly SummaryEvent[], buffered: BufferedSummaries): SummaryEvent | undefined {
  const ids = new Set(observations.map(({ id }) => id));
  return buffered(observations[0]?.id ?? '').findLast(
    ({ kind, covers }) => kind === 'reflection' && ids.has(covers.to),
  );
}
