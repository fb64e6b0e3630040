import { defined } from '../../../base/defined.ts';
import type { HostParams } from '../../../agents/contract/agent.ts';
import type { RunParams } from '../../../agents/contract/run-params.ts';
import type { MemoryStatus, MemoryScope } from '../../../agents/contract/memory.ts';
import { Memory } from '../../../agents/memory/memory.ts';
import { threadMemoryStatus } from '../../../agents/memory/memory-status.ts';
import type { ModelRegistry } from '../../../agents/contract/model.ts';
import { invalidArgument, wordsFor } from '../../../base/options/check-options.ts';
import type { EventLog } from '../../../log/event-log.ts';
import { type HarnessConfig } from '../harness-config.ts';
import { resolveDynamic } from '../dynamic.ts';
import type { HarnessSettings } from '../settings/harness-settings.ts';
import type { OpenThread } from '../threads/open-thread.ts';
import { RequestContext } from '../tools/request-context.ts';
import type { OMBufferedStatus, OMEvent } from './om-event.ts';
import type { Conversation } from '../../../graph/conversation/conversation.ts';
import { defaultActive } from '../../../graph/conversation/active.ts';
import { getBufferedSummaries, getSummaries } from '../../../graph/conversation/queries.ts';
import { buildSpans } from '../../../projections/reading/spans.ts';

interface HarnessMemoryOptions {
  readonly config: Pick<HarnessConfig, 'memory' | 'omConfig' | 'resolveModel'>;
  readonly log: EventLog;
  readonly setting: <Key extends keyof HarnessSettings>(key: Key) => HarnessSettings[Key] | undefined;
  /** The open thread. */
  readonly thread: () => OpenThread | undefined;
  readonly registry: () => Promise<ModelRegistry>;
  readonly emit: (event: OMEvent) => void;
}

/** Observational memory of a harness: its settings, its record and its progress. */
export class HarnessMemory {
  readonly #options: HarnessMemoryOptions;
  #resolved: Promise<Memory> | undefined;

  constructor(options: HarnessMemoryOptions) {
    this.#options = options;
  }

  get observerModelId(): string | undefined {
    return this.#options.setting('observerModelId') ?? this.#options.config.omConfig?.defaultObserverModelId;
  }

  get reflectorModelId(): string | undefined {
    return this.#options.setting('reflectorModelId') ?? this.#options.config.omConfig?.defaultReflectorModelId;
  }

  get observationThreshold(): number | undefined {
    return this.#options.setting('observationThreshold') ?? this.#options.config.omConfig?.defaultObservationThreshold;
  }

  get reflectionThreshold(): number | undefined {
    return this.#options.setting('reflectionThreshold') ?? this.#options.config.omConfig?.defaultReflectionThreshold;
  }

  /** Returns the configured memory; undefined without one. A factory is called once, and again after it failed. */
  async resolve(requestContext: RequestContext = new RequestContext()): Promise<Memory | undefined> {
    const { memory } = this.#options.config;
    if (memory === undefined) return undefined;
    this.#resolved ??= resolveDynamic(memory, requestContext).then(checked);
    try {
      return await this.#resolved;
    } catch (error) {
      this.#resolved = undefined;
      throw error;
    }
  }

  /** Returns the memory of a run, with the models and thresholds in effect; nothing without one. */
  async forRun(
    { runId }: Pick<RunParams, 'runId'>,
    thread: OpenThread,
    requestContext: RequestContext,
  ): Promise<Pick<HostParams, 'memory'>> {
    const memory = await this.resolve(requestContext);
    if (memory === undefined) return {};
    return {
      memory: this.#withSettings(memory).with({
        registry: memory.options.registry ?? (await this.#options.registry()),
        onStatus: status => {
          memory.options.onStatus?.(status);
          if (status.runId === runId && this.#options.thread() === thread) this.#emitStatus(thread, status);
        },
      }),
    };
  }

  /** Returns the record of the open thread; null without one, or when nothing was observed. */
  async record(): Promise<ObservationalMemoryRecord | null> {
    const thread = this.#options.thread();
    if (thread === undefined) return null;
    await thread.sync();
    const stored = await this.#options.log.getThread(thread.id);
    const { scope } = (await this.resolve()) ?? new Memory();
    const about = { threadId: thread.id, resourceId: stored?.resourceId ?? '', scope, config: await this.#config() };
    return memoryRecord(thread.projection.conversation, about);
  }

  /** Emits how full the memory of the open thread is; nothing without a thread. */
  async loadProgress(): Promise<void> {
    const thread = this.#options.thread();
    if (thread === undefined) return;
    await thread.sync();
    const memory = this.#withSettings((await this.resolve()) ?? new Memory());
    const status = await threadMemoryStatus(thread.projection.conversation, memory);
    if (this.#options.thread() === thread) this.#emitStatus(thread, status);
  }

  async #config(): Promise<OMRecordConfig> {
    const { observation, reflection } = this.#withSettings((await this.resolve()) ?? new Memory());
    const { observerModelId, reflectorModelId } = this;
    return {
      observationThreshold: observation.threshold,
      reflectionThreshold: reflection.threshold,
      ...defined({ observerModelId, reflectorModelId }),
    };
  }

  /** The settings of the state and of the thread, then those of the config, replace those of the memory. */
  #withSettings(memory: Memory): Memory {
    const { observerModelId, reflectorModelId, observationThreshold = 0, reflectionThreshold = 0 } = this;
    return memory.with({
      observation: {
        ...defined({ model: observerModelId }),
        ...(observationThreshold > 0 && { threshold: observationThreshold }),
      },
      reflection: {
        ...defined({ model: reflectorModelId }),
        ...(reflectionThreshold > 0 && { threshold: reflectionThreshold }),
      },
    });
  }

  #emitStatus(thread: OpenThread, { messages, observations, buffered, step, working }: MemoryStatus): void {
    const { generation } = thread.projection.memory;
    const toStatus = (kind: MemoryStatus['working'], isMade: boolean): OMBufferedStatus =>
      working === kind ? 'running' : isMade ? 'complete' : 'idle';
    this.#options.emit({
      type: 'om_status',
      windows: {
        active: { messages, observations },
        buffered: {
          observations: {
            status: toStatus('observation', buffered.observations.chunks > 0),
            ...buffered.observations,
          },
          reflection: {
            status: toStatus('reflection', buffered.reflection.observationTokens > 0),
            ...buffered.reflection,
          },
        },
      },
      recordId: recordIdOf(thread.id),
      threadId: thread.id,
      stepNumber: step,
      generationCount: generation,
    });
  }
}

function checked(memory: unknown): Memory {
  if (memory instanceof Memory) return memory;
  if (memory === undefined || memory === null) throw new Error('Dynamic memory factory returned empty value');
  throw invalidArgument(
    `The memory factory of a harness returned ${wordsFor(memory)}: expected a \`new Memory()\` of singletree.`,
  );
}

/** The record of observational memory for a thread: a projection of its log. */
export interface ObservationalMemoryRecord {
  readonly id: string;
  readonly threadId: string;
  readonly resourceId: string;
  readonly scope: MemoryScope;
  /** The active observations, as text. */
  readonly activeObservations: string;
  readonly observationTokenCount: number;
  /** How often the observations were condensed. */
  readonly generationCount: number;
  /** When the newest observations took effect. */
  readonly lastObservedAt?: Date;
  /** The last message that the observations cover, in whole or in part. */
  readonly lastObservedMessageId?: string;
  /** The observations that wait to take effect, as text. */
  readonly bufferedObservations?: string;
  readonly currentTask?: string;
  readonly suggestedResponse?: string;
  readonly config: OMRecordConfig;
}

/** The settings of observational memory that are in effect. */
interface OMRecordConfig {
  readonly observationThreshold: number;
  readonly reflectionThreshold: number;
  readonly observerModelId?: string;
  readonly reflectorModelId?: string;
}

/** The id of a thread's record. */
function recordIdOf(threadId: string): string {
  return `om:${threadId}`;
}

/** Returns the record of the active branch; null when nothing was observed. */
function memoryRecord(
  conversation: Conversation,
  about: Pick<ObservationalMemoryRecord, 'threadId' | 'resourceId' | 'scope' | 'config'>,
): ObservationalMemoryRecord | null {
  const spans = buildSpans(conversation, defaultActive(conversation), ({ kind }) => kind !== 'compaction');
  const active = spans.flatMap(span => ('summary' in span ? [span] : []));
  const buffered = getBufferedSummaries(conversation).filter(({ kind }) => kind === 'observation');
  const last = active.at(-1);
  if (last === undefined && buffered.length === 0) return null;
  const { ts, currentTask, suggestedResponse } = last?.summary.event ?? {};
  const lastObservedMessageId = last?.blocks.at(-1)?.messageId;
  return {
    id: recordIdOf(about.threadId),
    ...about,
    activeObservations: active.map(({ summary }) => summary.text).join('\n'),
    observationTokenCount: active.reduce((sum, { summary }) => sum + (summary.event.tokens ?? 0), 0),
    generationCount: getSummaries(conversation).filter(({ kind }) => kind === 'reflection').length,
    ...(ts !== undefined && { lastObservedAt: new Date(ts) }),
    ...defined({ lastObservedMessageId }),
    ...(buffered.length > 0 && { bufferedObservations: buffered.map(({ text }) => text).join('\n') }),
    ...defined({ currentTask, suggestedResponse }),
  };
}
