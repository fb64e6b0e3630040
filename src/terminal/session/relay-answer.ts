import type { RelayAnswer } from '../../agents/agent.ts';
import { SingletreeError } from '../../events/index.ts';
import { possibleAnswers } from '../../projections/possible-answers.ts';
import type { RelayEntry } from '../../projections/index.ts';

/** The answer of a person to what waits. */
export type PersonAnswer =
  | { readonly type: 'approve'; readonly remember: 'once' | 'thread' | 'category' }
  | { readonly type: 'reject'; readonly feedback?: string }
  | { readonly type: 'revise'; readonly input: unknown }
  | { readonly type: 'answer'; readonly answer: string | readonly string[] };

/** Converts the answer of a person to that of a relay; throws `invalid_argument` for a question that is not answered in words. */
export function toRelayAnswer({ relay }: RelayEntry, given: PersonAnswer): Omit<RelayAnswer, 'relayId'> {
  const outcome = given.type === 'approve' ? 'approve' : 'reject';
  const feedback = given.type === 'reject' && given.feedback !== undefined ? { feedback: given.feedback } : {};
  switch (relay.relayKind) {
    case 'permission':
      if (given.type === 'revise') return { outcome: 'revise', input: given.input };
      return given.type === 'approve' ? { outcome, remember: given.remember } : { outcome, ...feedback };
    case 'plan':
      return { outcome, ...feedback };
    case 'question': {
      if (given.type !== 'answer') throw notAnAnswer();
      const { answer } = given;
      return { outcome: 'answer', answer: typeof answer === 'string' ? answer : [...answer] };
    }
    case 'access':
      return given.type === 'approve' ? { outcome, remember: 'thread' } : { outcome };
    case 'suspension':
      if (!possibleAnswers(relay).includes('answer')) return { outcome };
      if (given.type === 'answer') return { outcome: 'answer', input: given.answer };
      return { outcome: 'answer', input: given.type === 'revise' ? given.input : { approved: outcome === 'approve' } };
    default:
      return relay satisfies never;
  }
}

function notAnAnswer(): SingletreeError {
  return new SingletreeError(
    'invalid_argument',
    'A question takes a written or chosen answer. Type it and press Enter.',
  );
}
