import { defined } from '../../base/defined.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { newId } from '../../events/ids.ts';

export type ChoiceEvent = EventOf<'mode_changed'> | EventOf<'model_changed'>;

/** A choice of mode or model to store: its events, and metadata of the thread. */
export interface Choice {
  readonly events: readonly ChoiceEvent[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The event that changes the mode of a thread; none when it is in this mode. */
export function changeMode(modeId: string, previousModeId: string | undefined): EventOf<'mode_changed'>[] {
  if (previousModeId === modeId) return [];
  return [{ type: 'mode_changed', runId: newId(), modeId, ...defined({ previousModeId }) }];
}
