import type { EventOf } from '../../events/vocabulary.ts';
import type { ModelRegistry, ModelSource, RetryOptions } from './model.ts';

/** A summary event of the log. */
export type SummaryEvent = EventOf<'summary'>;

/** Returns the buffered summaries whose covered part starts with a span, oldest first. */
export type BufferedSummaries = (from: string) => readonly SummaryEvent[];

/** The observations in effect of another thread. */
export interface ThreadObservations {
  readonly threadId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Oldest first. */
  readonly observations: readonly SummaryEvent[];
}

export interface ObservationOptions {
  /** The model of the observer. Default: that of the memory, else that of the run. */
  readonly model?: ModelSource;
  /** The tokens of messages at which observations take their place. Default: 30,000. */
  readonly threshold?: number;
  /** The part of the threshold after which the next messages are observed in the background. Default: 0.2. */
  readonly bufferEvery?: number;
  /** The part of the threshold that is free after observations took effect. Default: 0.8. */
  readonly activation?: number;
  /** A run waits for the observer when its messages reach this multiple of the threshold. Default: 1.2. */
  readonly blockAfter?: number;
  /** The tokens of messages that one call of the observer receives. Default: 10,000. */
  readonly batchTokens?: number;
  /** Instructions in addition to those of the observer. */
  readonly instructions?: string;
}

export interface ReflectionOptions {
  /** The model of the reflector. Default: that of the memory, else that of the run. */
  readonly model?: ModelSource;
  /** The tokens of observations at which they are condensed. Default: 40,000. */
  readonly threshold?: number;
  /** The part of the threshold from which they are condensed in the background. Default: 0.8. */
  readonly bufferAt?: number;
  /** A run waits for the reflector when its observations reach this multiple of the threshold. Default: 1.2. */
  readonly blockAfter?: number;
  /** Instructions in addition to those of the reflector. */
  readonly instructions?: string;
}

/** The threads whose observations a model is sent. */
export type MemoryScope = 'thread' | 'resource';

export interface MemoryOptions {
  /** The model of the observer and the reflector. Default: that of the run. */
  readonly model?: ModelSource;
  /**
   * `resource`: a model is also sent the observations of other threads of the same resource, marked, as they were when
   * the request was made. Default: `thread`.
   */
  readonly scope?: MemoryScope;
  readonly observation?: ObservationOptions;
  readonly reflection?: ReflectionOptions;
  /** How long an observer or a reflector may take, in milliseconds. Default: 2 minutes. */
  readonly timeoutMs?: number;
  readonly retry?: RetryOptions;
  /** The registry that resolves model ids. Default: that of the run. */
  readonly registry?: ModelRegistry;
  /** Is called after each step of a run. */
  readonly onStatus?: (status: MemoryStatus) => void;
}

/** How full the memory of a run is. */
export interface MemoryStatus {
  readonly runId: string;
  readonly step: number;
  /** The messages that no observation in effect covers. */
  readonly messages: { readonly tokens: number; readonly threshold: number };
  /** The observations in effect. */
  readonly observations: { readonly tokens: number; readonly threshold: number };
  /** Observations and reflections that were created ahead of time and are not in effect yet. */
  readonly buffered: {
    readonly observations: {
      readonly chunks: number;
      /** The tokens of the messages that they cover. */
      readonly messageTokens: number;
      /** The tokens of the messages that go when the threshold is reached. */
      readonly projectedMessageRemoval: number;
      readonly observationTokens: number;
    };
    readonly reflection: { readonly inputObservationTokens: number; readonly observationTokens: number };
  };
  /** The running job that this run started. */
  readonly working: 'observation' | 'reflection' | undefined;
}

/** A memory that observes conversations: its options, with defaults. */
export interface MemorySettings {
  readonly options: MemoryOptions;
  readonly scope: MemoryScope;
  readonly observation: Required<Omit<ObservationOptions, 'model' | 'instructions'>> & ObservationOptions;
  readonly reflection: Required<Omit<ReflectionOptions, 'model' | 'instructions'>> & ReflectionOptions;
}
