import type { LiveAnswer } from '../../../contract/live-channel.ts';
import { toText } from '../../../shared/wire-value.ts';

/** Returns the prompt that carries on after the decision about a plan; undefined when the turn is over. */
export function planPrompt(answer: LiveAnswer): { prompt: string; mode: 'default' | 'plan' } | undefined {
  const feedback = answer.outcome === 'answer' ? undefined : toText(answer.feedback?.trim());
  if (answer.outcome === 'approve') {
    const revised = toText(answer.input?.['plan']);
    const prompt = revised === undefined ? 'Implement the plan.' : `Implement this plan:\n\n${revised}`;
    return { prompt: feedback === undefined ? prompt : `${prompt}\n\n${feedback}`, mode: 'default' };
  }
  if (answer.outcome === 'reject' && feedback !== undefined) return { prompt: feedback, mode: 'plan' };
  return undefined;
}
