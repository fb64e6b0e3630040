import type { AgentEvent } from '../../events/vocabulary.ts';
import { errorText } from '../../base/error-text.ts';
import type { RunInput } from '../../projections/model-input/run-input.ts';
import { untilAborted } from '../run/until-aborted.ts';
import type { ContextPolicy, StepContext } from './step-context.ts';
import type { MemorySettings, BufferedSummaries, SummaryEvent } from '../contract/memory.ts';
import type { MemoryHost, MemoryJob } from '../contract/agent.ts';
import { type MemoryContents, memoryContents } from './memory-contents.ts';
import { getStatus } from './memory-status.ts';
import { chunksToActivate, type Chunk, nextToObserve, sumTokens } from './observation-plan.ts';
import { otherThreadsMessage } from './other-threads.ts';
import { defined } from '../../base/defined.ts';
import { newId } from '../../events/ids.ts';
import { observerAgent } from './observer.ts';
import { reflectorAgent } from './reflector.ts';

interface ObservationPolicyOptions {
  readonly memory: MemorySettings;
  readonly host: MemoryHost;
  readonly input: RunInput;
}

type Put = (event: AgentEvent) => Promise<void>;

/**
 * Observes the conversation in the background. At the threshold, the buffered observations replace the messages that
 * they cover; a run waits for the observer only far above the threshold.
 */
export class ObservationPolicy implements ContextPolicy {
  readonly #options: ObservationPolicyOptions;
  /** The running job that this run started. */
  #job: { readonly kind: MemoryJob['kind']; readonly started: Promise<void>; readonly done: Promise<void> } | undefined;
  /** The buffered summaries of the thread; undefined when they have to be read. */
  #buffered: BufferedSummaries | undefined;
  /** After a failure: the tokens from which the next attempt is made. */
  readonly #retryAt = { observation: 0, reflection: 0 };
  #hasOthers: boolean;

  constructor(options: ObservationPolicyOptions) {
    this.#options = options;
    this.#hasOthers = options.memory.scope === 'thread';
  }

  async beforeStep(context: StepContext, put: Put): Promise<void> {
    try {
      await this.#addOthers(context);
      await this.#settle(context, put);
      this.#start(await this.#contents(), context, false);
    } catch (error) {
      if (context.signal.aborted) return;
      const message = `The memory was not used: ${errorText(error)}`;
      await put({ type: 'warning', runId: context.runId, code: 'memory_failed', message });
    }
  }

  async afterStep(context: StepContext): Promise<void> {
    try {
      const contents = await this.#contents();
      this.#start(contents, context, false);
      const working = this.#job?.kind;
      // Readers of the run see that it started.
      if (this.#job !== undefined) await untilAborted(this.#job.started, context.signal);
      const { memory } = this.#options;
      const { runId, step } = context;
      memory.options.onStatus?.(getStatus(memory, contents, { runId, step, working }));
    } catch {
      // A listener that throws does not end the run; a log that fails is reported by the next step.
    }
  }

  /** Prepends the observations of other threads once per run, so that all requests have the same prefix. */
  async #addOthers({ signal }: StepContext): Promise<void> {
    if (this.#hasOthers) return;
    this.#hasOthers = true;
    const { memory, host, input } = this.#options;
    const others = await untilAborted(host.others(), signal);
    const message = await otherThreadsMessage(others, memory.reflection.threshold);
    if (message !== undefined) input.beginWith(message);
  }

  /** Activates buffered summaries, and waits for more while the context is far above the threshold. */
  async #settle(context: StepContext, put: Put): Promise<void> {
    for (;;) {
      const contents = await this.#contents();
      const events = this.#activated(contents, context.runId);
      for (const event of events) await put(event);
      if (events.length > 0) continue;
      if (!this.#isOverfull(contents)) return;
      this.#start(contents, context, true);
      if (this.#job === undefined) return;
      await untilAborted(this.#job.done, context.signal);
      const { chunks, reflection } = await this.#contents();
      if (chunks.length === contents.chunks.length && reflection === contents.reflection) return;
    }
  }

  #activated(contents: MemoryContents, runId: string): SummaryEvent[] {
    const { observation, reflection } = this.#options.memory;
    const chunks = chunksToActivate(contents.spans, contents.chunks, observation);
    if (chunks.length > 0) return activateChunks(chunks, contents, runId);
    if (contents.reflection === undefined || contents.observationTokens < reflection.threshold) return [];
    return [activateReflection(contents.reflection, runId)];
  }

  #isOverfull({ pendingTokens, observationTokens }: MemoryContents): boolean {
    const { observation, reflection } = this.#options.memory;
    return (
      pendingTokens >= Math.max(observation.threshold * observation.blockAfter, this.#retryAt.observation) ||
      observationTokens >= Math.max(reflection.threshold * reflection.blockAfter, this.#retryAt.reflection)
    );
  }

  /** Starts the next job, unless one is running. */
  #start(contents: MemoryContents, context: StepContext, isUrgent: boolean): void {
    const { memory, host } = this.#options;
    if (this.#job !== undefined) return;
    const next = nextJob(memory, contents, { context, isUrgent, retryAt: this.#retryAt });
    if (next === undefined) return;
    const { job, retryAt } = next;
    const { started, ended } = host.run({ ...job, spending: context.spending });
    const done = ended.then(async hasRun => {
      this.#job = undefined;
      const buffered = await this.#readBuffered();
      const isMade = buffered(job.covers.from).some(
        ({ kind, covers }) => kind === job.kind && covers.to === job.covers.to,
      );
      this.#retryAt[job.kind] = hasRun && !isMade ? retryAt : 0;
    });
    // A log that fails is noticed by the next step.
    this.#job = { kind: job.kind, started, done: done.catch(() => {}) };
  }

  async #contents(): Promise<MemoryContents> {
    return memoryContents(this.#options.input, this.#buffered ?? (await this.#readBuffered()));
  }

  async #readBuffered(): Promise<BufferedSummaries> {
    this.#buffered = undefined;
    this.#buffered = await this.#options.host.buffered();
    return this.#buffered;
  }
}

/** Returns the events that put buffered observations into effect: one for those that follow one another in a group. */
function activateChunks(chunks: readonly Chunk[], { spans }: MemoryContents, runId: string): SummaryEvent[] {
  const groups = new Map<number, SummaryEvent[]>();
  for (const { summary, end } of chunks) {
    const group = spans[end - 1]?.group ?? 0;
    groups.set(group, [...(groups.get(group) ?? []), summary]);
  }
  return [...groups.values()].flatMap(summaries => {
    const [first, last] = [summaries[0], summaries.at(-1)];
    return first === undefined || last === undefined ? [] : [activated(summaries, { first, last, runId })];
  });
}

/** Returns the event that puts a buffered reflection into effect. */
function activateReflection(reflection: SummaryEvent, runId: string): SummaryEvent {
  return activated([reflection], { first: reflection, last: reflection, runId });
}

function activated(
  summaries: readonly SummaryEvent[],
  { first, last, runId }: { readonly first: SummaryEvent; readonly last: SummaryEvent; readonly runId: string },
): SummaryEvent {
  const sum = (count: (summary: SummaryEvent) => number | undefined) =>
    summaries.reduce((total, summary) => total + (count(summary) ?? 0), 0);
  return {
    type: 'summary',
    runId,
    id: newId(),
    covers: { from: first.covers.from, to: last.covers.to },
    text: summaries.map(({ text }) => text).join('\n'),
    kind: last.kind,
    activates: summaries.map(({ id }) => id),
    ...defined({ currentTask: last.currentTask, suggestedResponse: last.suggestedResponse }),
    tokens: sum(({ tokens }) => tokens),
    coveredMessages: sum(({ coveredMessages }) => coveredMessages),
    coveredTokens: sum(({ coveredTokens }) => coveredTokens),
  };
}

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
function nextJob(memory: MemorySettings, contents: MemoryContents, situation: Situation): NextJob | undefined {
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
    tokens: sumTokens(observed),
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
