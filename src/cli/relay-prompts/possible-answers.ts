import type { EventOf } from '../../events/index.ts';

type Relay = EventOf<'relay'>;

/** Returns the outcomes that a relay can be answered with. */
export function possibleAnswers({ answers, relayKind }: Relay): NonNullable<Relay['answers']> {
  if (answers !== undefined) return answers;
  if (relayKind === 'question') return ['answer'];
  return relayKind === 'permission' ? ['approve', 'reject', 'revise'] : ['approve', 'reject'];
}
