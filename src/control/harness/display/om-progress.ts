import type { OMBuffered } from '../memory/om-event.ts';

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
