import type { EventOf } from '../../../src/events/index.ts';
import type { RelayInfo } from '../../../src/protocols/index.ts';
import { gist } from '../parts/wording.ts';

/** A relay in two lines: what is asked, and the exact command, file, question or plan. */
export interface RelaySummary {
  readonly what: string;
  readonly detail: string;
}

/** The relay of a list, as the log has it: the server checked it when it was stored. */
export function relayIn({ relay }: Pick<RelayInfo, 'relay'>): EventOf<'relay'> {
  return relay as unknown as EventOf<'relay'>;
}

/** Returns the two lines of a relay. */
export function summaryOf(info: Pick<RelayInfo, 'relay' | 'agentId'>): RelaySummary {
  const relay = relayIn(info);
  const who = info.agentId ?? 'An agent';
  switch (relay.relayKind) {
    case 'permission':
      return {
        what: `${who} wants to use ${relay.tool}`,
        detail: relay.command ?? changedFile(relay.diff) ?? gist(relay.params),
      };
    case 'question':
      return { what: `${who} has a question`, detail: relay.question };
    case 'plan':
      return { what: `${who} has a plan`, detail: relay.title ?? relay.plan.trim().split('\n', 1)[0] ?? '' };
    case 'suspension':
      return { what: `${relay.tool} waits for you`, detail: gist(relay.payload ?? relay.params) };
    default:
      return { what: `${who} wants access`, detail: gist(relay.params) };
  }
}

/** The first file that a unified diff changes. */
function changedFile(diff: string | undefined): string | undefined {
  return diff === undefined ? undefined : /^\+\+\+ (?:b\/)?(.+)$/m.exec(diff)?.[1];
}
