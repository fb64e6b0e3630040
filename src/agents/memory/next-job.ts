import type { StepContext } from './step-context.ts';
import type { MemorySettings } from '../contract/memory.ts';
import type { MemoryJob } from '../contract/agent.ts';
import type { MemoryContents } from './memory-contents.ts';
import { nextToObserve, tokensOf } from './observation-plan.ts';
import { observerAgent } from './observer.ts';
import { reflectorAgent } from './reflector.ts';

interface Situation {
  readonly context: StepContext;
  /** Whether the run waits for the job. */
  readonly isUrgent: boolean;
  /** After a failure: the tokens from which the next attempt is made. */
  readonly retryAt: Readonly<Record<MemoryJob['kind'], number>>;
}

interface NextJob {
  readonly job: MemoryJob;
  /** The tokens from which the next attempt is made when this one fails. */
  readonly retryAt: number;
}

/** Returns the most important job, if one is due: an observation, else a reflection. */
export function nextJob(memory: MemorySettings, contents: MemoryContents, situation: Situation): NextJob | undefined {
  return nextObservation(memory, contents, situation) ?? nextReflection(memory, contents, situation);
}

function nextObservation(memory: MemorySettings, contents: MemoryContents, situation: Situation): NextJob | undefined {
  const { observation: limits } = memory;
  const { spans, pendingTokens, observations, chunks } = contents;
  const { context, retryAt } = situation;
  if (pendingTokens < retryAt.observation) return undefined;
  const isUrgent = situation.isUrgent && pendingTokens >= limits.threshold * limits.blockAfter;
  const next = nextToObserve(spans, chunks.at(-1)?.end ?? 0, { limits, isUrgent });
  const observed = next === undefined ? [] : spans.slice(next.start, next.end);
  const [first, last] = [observed[0], observed.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const covers = { from: first.name, to: last.name };
  const known = [...observations, ...chunks.map(({ summary }) => summary)];
  const agent = observerAgent({
    ...callOf(memory, context, limits.model),
    covers,
    spans: observed,
    tokens: tokensOf(observed),
    previous: known.map(({ text }) => text).join('\n'),
    background: !isUrgent,
    batchTokens: limits.batchTokens,
    instructions: limits.instructions,
    now: () => new Date(),
  });
  return {
    job: { kind: 'observation', covers, agent },
    retryAt: pendingTokens + limits.bufferEvery * limits.threshold,
  };
}

function nextReflection(memory: MemorySettings, contents: MemoryContents, situation: Situation): NextJob | undefined {
  const { reflection: limits } = memory;
  const { observations, observationTokens, reflection } = contents;
  const { context, isUrgent, retryAt } = situation;
  const [first, last] = [observations[0], observations.at(-1)];
  const isDue = observationTokens >= Math.max(limits.threshold * limits.bufferAt, retryAt.reflection);
  if (!isDue || reflection !== undefined || first === undefined || last === undefined) return undefined;
  const covers = { from: first.id, to: last.id };
  const agent = reflectorAgent({
    ...callOf(memory, context, limits.model),
    covers,
    observations,
    tokens: observationTokens,
    background: !isUrgent || observationTokens < limits.threshold * limits.blockAfter,
    instructions: limits.instructions,
  });
  return { job: { kind: 'reflection', covers, agent }, retryAt: observationTokens + limits.threshold / 5 };
}

function callOf(
  { options }: MemorySettings,
  { model, registry }: StepContext,
  own: MemorySettings['options']['model'],
) {
  const { timeoutMs = 120_000, retry } = options;
  return { model: own ?? options.model ?? model, registry: options.registry ?? registry, retry, timeoutMs };
}
