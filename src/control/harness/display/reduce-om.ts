import type { OMEvent } from '../memory/om-event.ts';
import type { DisplayView } from './display-view.ts';
import { idleProgress, type OMProgressState, withPercents } from './om-progress.ts';

type Change = Partial<DisplayView>;
type Handlers = { readonly [Type in OMEvent['type']]: (event: Extract<OMEvent, { type: Type }>) => Change };

/** Returns the display changes of an observational memory event. */
export function reduceOM(state: DisplayView, event: OMEvent, at: Date): Change {
  const { omProgress } = state;
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
