import { SingletreeError } from '../../events/index.ts';
import type { Harness } from '../../control/index.ts';
import type { RelayEntry } from '../../projections/index.ts';

/** The answer of a person to what waits. */
export type PersonAnswer =
  | { readonly type: 'approve'; readonly remember: 'once' | 'thread' | 'category' }
  | { readonly type: 'reject'; readonly feedback?: string }
  | { readonly type: 'revise'; readonly input: unknown }
  | { readonly type: 'answer'; readonly answer: string | readonly string[] };

/** Answers a relay through the Harness. Rejects when it was answered elsewhere, and for an answer that it cannot take. */
export async function answerRelay(harness: Harness, { id, relay }: RelayEntry, answer: PersonAnswer): Promise<void> {
  const feedback = answer.type === 'reject' && answer.feedback !== undefined ? { feedback: answer.feedback } : {};
  switch (relay.relayKind) {
    case 'permission': {
      const { toolCallId } = relay;
      if (answer.type === 'approve')
        harness.respondToToolApproval({ toolCallId, decision: 'approve', remember: answer.remember });
      else if (answer.type === 'revise')
        harness.respondToToolApproval({ toolCallId, decision: 'revise', input: answer.input });
      else harness.respondToToolApproval({ toolCallId, decision: 'decline', ...feedback });
      return;
    }
    case 'plan':
      return harness.respondToPlanApproval({
        planId: relay.planId,
        response: { action: answer.type === 'approve' ? 'approved' : 'rejected', ...feedback },
      });
    case 'question':
      if (answer.type !== 'answer') throw notAnAnswer();
      harness.respondToQuestion({
        questionId: id,
        answer: typeof answer.answer === 'string' ? answer.answer : [...answer.answer],
      });
      return;
    case 'access':
      harness.respondToQuestion({ questionId: id, answer: answer.type === 'approve' ? 'yes' : 'no' });
      return;
    case 'suspension':
      return harness.respondToToolSuspension({
        toolCallId: relay.toolCallId ?? id,
        resumeData:
          answer.type === 'answer'
            ? answer.answer
            : answer.type === 'revise'
              ? answer.input
              : { approved: answer.type === 'approve' },
      });
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
