import { SingletreeError } from '../../events/index.ts';
import type { ToolApproval } from './relays.ts';
import type { PlanResponse } from './request-context.ts';

const decisions: readonly ToolApproval['decision'][] = ['approve', 'decline', 'always_allow_category', 'revise'];
const actions: readonly PlanResponse['action'][] = ['approved', 'rejected'];

/** Throws `invalid_argument` for a decision about a call that there is not: what is not understood approves nothing. */
export function checkDecision(decision: unknown): void {
  checkOneOf('decision', decision, decisions);
}

/** The same for a plan. */
export function checkPlanResponse(response: PlanResponse | undefined): void {
  checkOneOf('response.action', response?.action, actions);
}

function checkOneOf(name: string, value: unknown, known: readonly unknown[]): void {
  if (known.includes(value)) return;
  throw invalid(`\`${name}\` is ${shown(value)}: expected ${known.map(shown).join(', ')}`);
}

function invalid(problem: string): SingletreeError {
  return new SingletreeError('invalid_argument', `${problem}.`);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  return value === undefined ? 'missing' : typeof value;
}
