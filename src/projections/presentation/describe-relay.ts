import type { EventOf } from '../../events/index.ts';
import { gist } from './wording.ts';

/** A relay in two lines: what is asked, and the exact command, file, question or plan. */
export interface RelayDescription {
  readonly what: string;
  readonly detail: string;
}

/** Returns the two lines of a relay that an agent asked. */
export function describeRelay(relay: EventOf<'relay'>, who = 'An agent'): RelayDescription {
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
