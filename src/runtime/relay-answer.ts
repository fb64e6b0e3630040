import { defined } from '../base/defined.ts';
import type { RelayAnswer } from '../agents/contract/host.ts';
import type { EventOf } from '../events/vocabulary.ts';
import { SingletreeError } from '../base/singletree-error.ts';

/** What a person decides. */
export type ApprovalOutcomeName = 'approve' | 'reject' | 'revise';

/** What a person adds to a decision. */
export interface ApprovalAnswer {
  /** Words for the agent. */
  readonly feedback?: string;
  /** What to change: of a tool the arguments that replace those of the call, of a plan anything the agent understands. */
  readonly partial?: unknown;
  /** The answer to a question, which is approved with it. */
  readonly answer?: string | string[];
}

/** The decision as the log holds it; throws `invalid_argument` when something was added that would change nothing. */
export function answerOf(
  relay: EventOf<'relay'>,
  outcome: ApprovalOutcomeName,
  { feedback, partial, answer }: ApprovalAnswer,
): Omit<RelayAnswer, 'relayId'> {
  if (partial !== undefined && outcome !== 'revise') throw misplaced('partial', 'revise');
  if (answer !== undefined && outcome !== 'approve') throw misplaced('answer', 'approve');
  const input = relay.relayKind === 'permission' && isRecord(partial) ? { ...relay.params, ...partial } : partial;
  return {
    outcome: answer === undefined ? outcome : 'answer',
    ...defined({ feedback, input, answer }),
  };
}

function misplaced(field: string, outcome: ApprovalOutcomeName): SingletreeError {
  return new SingletreeError('invalid_argument', `\`${field}\` goes with "${outcome}" only: leave it out.`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
