import type { EventOf } from '../../../src/events/index.ts';
import { describeRelay, type RelayDescription } from '../../../src/projections/presentation/describe-relay.ts';
import type { RelayInfo } from '../../../src/protocols/index.ts';

/** The relay of a list, as the log has it: the server checked it when it was stored. */
export function relayIn({ relay }: Pick<RelayInfo, 'relay'>): EventOf<'relay'> {
  return relay as unknown as EventOf<'relay'>;
}

/** Returns the two lines of a relay of a list. */
export function summaryOf(info: Pick<RelayInfo, 'relay' | 'agentId'>): RelayDescription {
  return describeRelay(relayIn(info), info.agentId);
}
