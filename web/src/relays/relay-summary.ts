import type { EventOf } from '../../../src/events/vocabulary.ts';
import type { RelayInfo } from '../../../src/protocols/http-api.ts';

/** The relay of a list, as the log has it: the server checked it when it was stored. */
export function relayIn({ relay }: Pick<RelayInfo, 'relay'>): EventOf<'relay'> {
  return relay as unknown as EventOf<'relay'>;
}
