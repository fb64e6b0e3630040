import type { EventOf } from '../events/vocabulary.ts';

type Relay = EventOf<'relay'>;
type Outcome = NonNullable<Relay['answers']>[number];

/** The valid outcomes of each kind of relay. */
const outcomes: Record<Relay['relayKind'], readonly Outcome[]> = {
  permission: ['approve', 'reject', 'revise'],
  plan: ['approve', 'reject', 'revise'],
  access: ['approve', 'reject'],
  question: ['answer', 'reject'],
  suspension: ['answer', 'approve', 'reject'],
};

/** Returns the outcomes that a relay can be answered with: those of its kind that its agent can act on. */
export function possibleAnswers({ relayKind, answers }: Pick<Relay, 'relayKind' | 'answers'>): readonly Outcome[] {
  return outcomes[relayKind].filter(outcome => answers === undefined || answers.includes(outcome));
}
