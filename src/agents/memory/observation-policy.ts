import type { AgentEvent } from '../../events/vocabulary.ts';
import { errorText } from '../../base/error-text.ts';
import type { RunInput } from '../../projections/model-input/run-input.ts';
import { untilAborted } from '../loop/until-aborted.ts';
import { activateChunks, activateReflection } from './activation.ts';
import type { ContextPolicy, StepContext } from './step-context.ts';
import type { MemorySettings, BufferedSummaries, SummaryEvent } from '../contract/memory.ts';
import type { MemoryHost, MemoryJob } from '../contract/agent.ts';
import { type MemoryContents, memoryContents } from './memory-contents.ts';
import { statusOf } from './memory-status.ts';
import { nextJob } from './next-job.ts';
import { chunksToActivate } from './observation-plan.ts';
import { otherThreadsMessage } from './other-threads.ts';

export interface ObservationPolicyOptions {
  readonly memory: MemorySettings;
  readonly host: MemoryHost;
  readonly input: RunInput;
}

type Put = (event: AgentEvent) => Promise<void>;

/**
 * Observes the conversation in the background. At the threshold the observations that were made so far take the place
 * of the messages they cover; a run waits for the observer only far above it.
 */
export class ObservationPolicy implements ContextPolicy {
  readonly #options: ObservationPolicyOptions;
  /** The job under way that this run started. */
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
      memory.options.onStatus?.(statusOf(memory, contents, { runId, step, working }));
    } catch {
      // A listener that throws does not end the run; a log that fails is reported by the next step.
    }
  }

  /** Begins what the model is sent with the observations of other threads: once, so that all requests begin alike. */
  async #addOthers({ signal }: StepContext): Promise<void> {
    if (this.#hasOthers) return;
    this.#hasOthers = true;
    const { memory, host, input } = this.#options;
    const others = await untilAborted(host.others(), signal);
    const message = await otherThreadsMessage(others, memory.reflection.threshold);
    if (message !== undefined) input.beginWith(message);
  }

  /** Puts what is buffered into effect, and waits for more while there are far too many tokens. */
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

  /** Starts the next job, unless one is under way. */
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
