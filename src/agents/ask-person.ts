import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import { newId } from '../events/ids.ts';
import type { RelayState } from '../projections/run-state.ts';
import type { Answers, RelayAnswer } from './contract/host.ts';
import { untilAborted } from './run/until-aborted.ts';

/** The parameters for asking a user. */
export interface Asking {
  /** Undefined when no user can be asked. */
  readonly answers: Answers | undefined;
  readonly signal: AbortSignal;
  /** Emits a relay; resolves when it is stored. */
  readonly put: (event: AgentEvent) => Promise<void>;
  /** Called with each relay that is emitted. */
  readonly onRelay?: ((relay: EventOf<'relay'>) => void) | undefined;
}

/** The answer of a user to a relay. */
export type PersonAnswer = RelayAnswer;

/**
 * Emits a relay and returns its answer, or undefined when no user can be asked. When `before` is set, waits for that
 * relay instead of emitting another, even if its answer is already known. Rejects when the signal aborts.
 */
export async function askPerson(
  { answers, signal, put, onRelay }: Asking,
  toRelay: (id: string) => EventOf<'relay'> | Promise<EventOf<'relay'>>,
  before?: Pick<RelayState, 'answer'> & { readonly relay: { readonly id: string } },
): Promise<PersonAnswer | undefined> {
  if (before?.answer !== undefined) return before.answer;
  if (answers === undefined) return undefined;
  const id = before?.relay.id ?? newId();
  if (before === undefined) {
    const relay = await toRelay(id);
    onRelay?.(relay);
    await put(relay);
  }
  return untilAborted(answers.wait(id, signal), signal);
}
