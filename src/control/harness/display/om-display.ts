import type { OMBuffered, OMEvent } from '../memory/om-event.ts';

/** The activity of observational memory. */
export type OMStatus = 'idle' | 'observing' | 'reflecting';

/** The progress of observational memory. */
export interface OMProgressState {
  readonly status: OMStatus;
  readonly pendingTokens: number;
  readonly threshold: number;
  readonly thresholdPercent: number;
  readonly observationTokens: number;
  readonly reflectionThreshold: number;
  readonly reflectionThresholdPercent: number;
  readonly buffered: OMBuffered;
  readonly generationCount: number;
  readonly stepNumber: number;
  readonly cycleId?: string;
  readonly startTime?: number;
  readonly preReflectionTokens: number;
}

/** Returns the progress before the first observation. */
export function defaultOMProgressState(): OMProgressState {
  return {
    status: 'idle',
    pendingTokens: 0,
    threshold: 30_000,
    thresholdPercent: 0,
    observationTokens: 0,
    reflectionThreshold: 40_000,
    reflectionThresholdPercent: 0,
    buffered: {
      observations: { status: 'idle', chunks: 0, messageTokens: 0, projectedMessageRemoval: 0, observationTokens: 0 },
      reflection: { status: 'idle', inputObservationTokens: 0, observationTokens: 0 },
    },
    generationCount: 0,
    stepNumber: 0,
    preReflectionTokens: 0,
  };
}

/** Returns the progress with its percentages computed from its counts and thresholds. */
export function withPercents(progress: OMProgressState): OMProgressState {
  const { pendingTokens, threshold, observationTokens, reflectionThreshold } = progress;
  return {
    ...progress,
    thresholdPercent: percent(pendingTokens, threshold),
    reflectionThresholdPercent: percent(observationTokens, reflectionThreshold),
  };
}

/** Returns the progress with no active cycle. */
export function idleProgress(progress: OMProgressState): OMProgressState {
  const { cycleId: _cycleId, startTime: _startTime, ...rest } = progress;
  return withPercents({ ...rest, status: 'idle' });
}

function percent(tokens: number, threshold: number): number {
  return threshold > 0 ? (tokens / threshold) * 100 : 0;
}

/** The part of a display that observational memory changes. */
interface OMDisplay {
  readonly omProgress: OMProgressState;
  readonly bufferingMessages: boolean;
  readonly bufferingObservations: boolean;
}

type Change = Partial<OMDisplay>;
type Handlers = { readonly [Type in OMEvent['type']]: (event: Extract<OMEvent, { type: Type }>) => Change };

/** Returns the display changes of an observational memory event. */
export function reduceOM({ omProgress }: OMDisplay, event: OMEvent, at: Date): Change {
  const progress = (change: Partial<OMProgressState>): Change => ({
    omProgress: withPercents({ ...omProgress, ...change }),
  });
  const idle = (change: Partial<OMProgressState> = {}): Change => ({
    omProgress: idleProgress({ ...omProgress, ...change }),
  });
  const on: Handlers = {
    om_status: ({ windows: { active, buffered }, stepNumber, generationCount }) => ({
      ...progress({
        pendingTokens: active.messages.tokens,
        threshold: active.messages.threshold,
        observationTokens: active.observations.tokens,
        reflectionThreshold: active.observations.threshold,
        buffered,
        stepNumber,
        generationCount,
      }),
      bufferingMessages: buffered.observations.status === 'running',
      bufferingObservations: buffered.reflection.status === 'running',
    }),
    om_observation_start: ({ cycleId }) => progress({ status: 'observing', cycleId, startTime: at.getTime() }),
    om_observation_end: ({ observationTokens }) => idle({ observationTokens, pendingTokens: 0 }),
    om_observation_failed: () => idle(),
    om_reflection_start: ({ cycleId, tokensToReflect }) =>
      progress({
        status: 'reflecting',
        cycleId,
        startTime: at.getTime(),
        preReflectionTokens: omProgress.observationTokens,
        observationTokens: tokensToReflect,
      }),
    om_reflection_end: ({ compressedTokens }) => idle({ observationTokens: compressedTokens }),
    om_reflection_failed: () => idle(),
    om_model_changed: () => ({}),
    om_buffering_start: ({ operationType }) => ({ [flags[operationType]]: true }),
    om_buffering_end: ({ operationType }) => ({ [flags[operationType]]: false }),
    om_buffering_failed: ({ operationType }) => ({ [flags[operationType]]: false }),
    om_activation: ({ operationType }) => ({ [flags[operationType]]: false }),
    om_thread_title_updated: () => ({}),
  };
  return Object.hasOwn(on, event.type) ? (on[event.type] as (event: OMEvent) => Change)(event) : {};
}

const flags = { observation: 'bufferingMessages', reflection: 'bufferingObservations' } as const;
