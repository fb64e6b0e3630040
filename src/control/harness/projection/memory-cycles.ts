import { defined } from '../../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import type { OMEvent, OMOperation } from '../memory/om-event.ts';

type Start = NonNullable<EventOf<'harness_start'>['memory']>;

/** The run of an observer or a reflector that has not ended. */
interface Cycle {
  readonly start: Start & { readonly operation: OMOperation };
  readonly startedAt: number | undefined;
  readonly summary?: EventOf<'summary'>;
  readonly error?: string;
}

/** The work of the memory of a thread, as far as it was emitted. It is immutable. */
export interface MemoryCycles {
  /** By run id, which is the cycle id; a run that writes a title is no work of the memory. */
  readonly open: ReadonlyMap<string, Cycle | 'title'>;
  /** How many reflections took effect. */
  readonly generation: number;
  /** The tokens of the observations that wait to take effect. */
  readonly bufferedTokens: number;
}

export const noCycles: MemoryCycles = { open: new Map(), generation: 0, bufferedTokens: 0 };

interface Step {
  readonly cycles: MemoryCycles;
  readonly events: readonly OMEvent[];
}

/** Projects an event of a memory's work; returns undefined for any other event. */
export function memoryEvents(cycles: MemoryCycles, event: AgentEvent): Step | undefined {
  if (event.type === 'harness_start' && event.memory !== undefined) return begin(cycles, event.memory, event);
  if (event.type === 'summary' && event.activates !== undefined) return activate(cycles, event);
  const cycle = cycles.open.get(event.runId);
  if (cycle === undefined) return undefined;
  if (cycle === 'title') return { cycles: event.type === 'harness_end' ? closed(cycles, event) : cycles, events: [] };
  if (event.type === 'summary') return { cycles: withCycle(cycles, event, { ...cycle, summary: event }), events: [] };
  if (event.type === 'error')
    return { cycles: withCycle(cycles, event, { ...cycle, error: event.message }), events: [] };
  return event.type === 'harness_end' ? end(cycles, cycle, event) : { cycles, events: [] };
}

function begin(cycles: MemoryCycles, start: Start, event: AgentEvent): Step {
  const { operation: operationType, background, tokens } = start;
  const about = { cycleId: event.runId };
  if (operationType === 'title') return { cycles: withCycle(cycles, event, 'title'), events: [] };
  const opened = withCycle(cycles, event, {
    start: { ...start, operation: operationType },
    startedAt: getTime(event),
  });
  if (background)
    return {
      cycles: opened,
      events: [{ type: 'om_buffering_start', ...about, operationType, tokensToBuffer: tokens }],
    };
  if (operationType === 'reflection')
    return { cycles: opened, events: [{ type: 'om_reflection_start', ...about, tokensToReflect: tokens }] };
  return {
    cycles: opened,
    events: [{ type: 'om_observation_start', ...about, operationType, tokensToObserve: tokens }],
  };
}

function closed(cycles: MemoryCycles, { runId }: EventOf<'harness_end'>): MemoryCycles {
  const open = new Map(cycles.open);
  open.delete(runId);
  return { ...cycles, open };
}

function end(cycles: MemoryCycles, cycle: Cycle, event: EventOf<'harness_end'>): Step {
  const { open } = closed(cycles, event);
  const { start, summary } = cycle;
  const made = summary !== undefined && start.operation === 'observation' ? (summary.tokens ?? 0) : 0;
  const ended = { ...cycles, open, bufferedTokens: cycles.bufferedTokens + made };
  const durationMs = Math.max(0, (getTime(event) ?? 0) - (cycle.startedAt ?? getTime(event) ?? 0));
  const about = { cycleId: event.runId, durationMs };
  return {
    cycles: ended,
    events: [summary === undefined ? failed(cycle, event, about) : done(ended, cycle, summary, about)],
  };
}

interface About {
  readonly cycleId: string;
  readonly durationMs: number;
}

function done(cycles: MemoryCycles, { start }: Cycle, summary: EventOf<'summary'>, about: About): OMEvent {
  const { text: observations, tokens = 0, currentTask, suggestedResponse } = summary;
  if (start.background)
    return {
      type: 'om_buffering_end',
      cycleId: about.cycleId,
      operationType: start.operation,
      tokensBuffered: start.tokens,
      bufferedTokens: start.operation === 'observation' ? cycles.bufferedTokens : tokens,
      observations,
    };
  if (start.operation === 'reflection')
    return { type: 'om_reflection_end', ...about, compressedTokens: tokens, observations };
  return {
    type: 'om_observation_end',
    ...about,
    tokensObserved: start.tokens,
    observationTokens: tokens,
    observations,
    ...defined({ currentTask, suggestedResponse }),
  };
}

function failed({ start, error: reported }: Cycle, { reason }: EventOf<'harness_end'>, about: About): OMEvent {
  const { operation: operationType } = start;
  const error = reported ?? `The ${operationType} was ${reason === 'aborted' ? 'aborted' : 'interrupted'}.`;
  if (start.background) return { type: 'om_buffering_failed', cycleId: about.cycleId, operationType, error };
  return { type: operationType === 'reflection' ? 'om_reflection_failed' : 'om_observation_failed', ...about, error };
}

function activate(cycles: MemoryCycles, event: EventOf<'summary'>): Step {
  const isReflection = event.kind === 'reflection';
  const generation = cycles.generation + (isReflection ? 1 : 0);
  const { tokens = 0, coveredTokens = 0, coveredMessages = 0, activates = [] } = event;
  const bufferedTokens = isReflection ? cycles.bufferedTokens : Math.max(0, cycles.bufferedTokens - tokens);
  return {
    cycles: { ...cycles, generation, bufferedTokens },
    events: [
      {
        type: 'om_activation',
        cycleId: event.id,
        operationType: isReflection ? 'reflection' : 'observation',
        chunksActivated: activates.length,
        tokensActivated: coveredTokens,
        observationTokens: tokens,
        messagesActivated: coveredMessages,
        generationCount: generation,
        triggeredBy: 'threshold',
      },
    ],
  };
}

function withCycle(cycles: MemoryCycles, { runId }: AgentEvent, cycle: Cycle | 'title'): MemoryCycles {
  return { ...cycles, open: new Map(cycles.open).set(runId, cycle) };
}

function getTime({ ts }: AgentEvent): number | undefined {
  return ts === undefined ? undefined : Date.parse(ts);
}
