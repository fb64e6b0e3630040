/** The operation of observational memory. */
export type OMOperation = 'observation' | 'reflection';

/** The status of buffered work. */
export type OMBufferedStatus = 'idle' | 'running' | 'complete';

/** Observations and reflections that are computed but not activated. */
export interface OMBuffered {
  readonly observations: {
    readonly status: OMBufferedStatus;
    readonly chunks: number;
    readonly messageTokens: number;
    readonly projectedMessageRemoval: number;
    readonly observationTokens: number;
  };
  readonly reflection: {
    readonly status: OMBufferedStatus;
    readonly inputObservationTokens: number;
    readonly observationTokens: number;
  };
}

interface OMFailure {
  readonly cycleId: string;
  readonly error: string;
  readonly durationMs: number;
}

interface Filled {
  readonly tokens: number;
  readonly threshold: number;
}

/** The events of observational memory. They are notifications only. */
export type OMEvent =
  | {
      readonly type: 'om_status';
      readonly windows: {
        readonly active: { readonly messages: Filled; readonly observations: Filled };
        readonly buffered: OMBuffered;
      };
      readonly recordId: string;
      readonly threadId: string;
      readonly stepNumber: number;
      readonly generationCount: number;
    }
  | {
      readonly type: 'om_observation_start';
      readonly cycleId: string;
      readonly operationType: OMOperation;
      readonly tokensToObserve: number;
    }
  | {
      readonly type: 'om_observation_end';
      readonly cycleId: string;
      readonly durationMs: number;
      readonly tokensObserved: number;
      readonly observationTokens: number;
      readonly observations?: string;
      readonly currentTask?: string;
      readonly suggestedResponse?: string;
    }
  | ({ readonly type: 'om_observation_failed' } & OMFailure)
  | ({ readonly type: 'om_reflection_failed' } & OMFailure)
  | { readonly type: 'om_reflection_start'; readonly cycleId: string; readonly tokensToReflect: number }
  | {
      readonly type: 'om_reflection_end';
      readonly cycleId: string;
      readonly durationMs: number;
      readonly compressedTokens: number;
      readonly observations?: string;
    }
  | { readonly type: 'om_model_changed'; readonly role: 'observer' | 'reflector'; readonly modelId: string }
  | {
      readonly type: 'om_buffering_start';
      readonly cycleId: string;
      readonly operationType: OMOperation;
      readonly tokensToBuffer: number;
    }
  | {
      readonly type: 'om_buffering_end';
      readonly cycleId: string;
      readonly operationType: OMOperation;
      readonly tokensBuffered: number;
      readonly bufferedTokens: number;
      readonly observations?: string;
    }
  | {
      readonly type: 'om_buffering_failed';
      readonly cycleId: string;
      readonly operationType: OMOperation;
      readonly error: string;
    }
  | {
      readonly type: 'om_activation';
      readonly cycleId: string;
      readonly operationType: OMOperation;
      readonly chunksActivated: number;
      readonly tokensActivated: number;
      readonly observationTokens: number;
      readonly messagesActivated: number;
      readonly generationCount: number;
      readonly triggeredBy?: 'threshold' | 'ttl' | 'provider_change';
      readonly lastActivityAt?: number;
      readonly ttlExpiredMs?: number;
      readonly activateAfterIdle?: number;
      readonly previousModel?: string;
      readonly currentModel?: string;
    }
  | {
      readonly type: 'om_thread_title_updated';
      readonly cycleId: string;
      readonly threadId: string;
      readonly oldTitle?: string;
      readonly newTitle: string;
    };

const workEnds: ReadonlySet<string> = new Set<OMEvent['type']>([
  'om_observation_end',
  'om_observation_failed',
  'om_reflection_end',
  'om_reflection_failed',
  'om_buffering_end',
  'om_buffering_failed',
]);

/** Whether an observer or a reflector ended with this event. */
export function endsMemoryWork({ type }: { readonly type: string }): boolean {
  return workEnds.has(type);
}
