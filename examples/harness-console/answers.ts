import type { Harness } from 'singletree/control';

/** Takes a line as the answer to what waits in the open thread; returns false when nothing waits. */
export async function answerPending(harness: Harness, line: string): Promise<boolean> {
  const { pendingApproval, pendingQuestion, pendingPlanApproval, pendingSuspension } = harness.getDisplayState();
  const isYes = /^(y|yes|a|always)$/i.test(line);
  const feedback = line.replace(/^(n|no)\b[,:]? */i, '');
  const reason = feedback === '' ? {} : { feedback };
  if (pendingApproval !== null) {
    if (/^a/i.test(line) && isYes) harness.respondToToolApproval({ decision: 'approve', remember: 'thread' });
    else if (isYes) harness.respondToToolApproval({ decision: 'approve' });
    else harness.respondToToolApproval({ decision: 'decline', ...reason });
  } else if (pendingPlanApproval !== null) {
    const action = isYes ? 'approved' : 'rejected';
    await harness.respondToPlanApproval({
      planId: pendingPlanApproval.planId,
      response: { action, ...(isYes ? {} : reason) },
    });
  } else if (pendingQuestion !== null) {
    const chosen = pendingQuestion.options?.[Number(line) - 1]?.label;
    harness.respondToQuestion({ questionId: pendingQuestion.questionId, answer: chosen ?? line });
  } else if (pendingSuspension !== null) await harness.respondToToolSuspension({ resumeData: line });
  else return false;
  return true;
}
