import type { EventOf } from '../../events/vocabulary.ts';
import { presentRelay } from './present-relay.ts';

type Relay = EventOf<'relay'>;

/** A question that was decided, as lists of decisions have it. */
export interface DecidedRelay {
  readonly relay: Relay;
  readonly outcome?: string | undefined;
}

/** The narrowest rule that covers repeatedly approved calls, and the sentence that offers it. */
export interface SuggestedRule {
  readonly count: number;
  readonly sentence: string;
  /** A description of the calls that it would allow. */
  readonly effect: string;
  /** The rule as a configuration has it. */
  readonly rule: { readonly tool: string; readonly command: string; readonly policy: 'allow' };
}

/** The number of approvals from which on a rule is suggested. */
const leastApprovals = 3;

/**
 * Returns the rule to suggest for a question: it allows exactly this command, which was approved several times and not
 * rejected since. Undefined for what cannot be undone, for commands that no rule can name exactly, and for other tools.
 */
export function suggestRule(relay: Relay, decided: readonly DecidedRelay[]): SuggestedRule | undefined {
  if (relay.relayKind !== 'permission' || relay.personOnly === true) return undefined;
  const { command, risks } = presentRelay(relay);
  if (command === undefined || risks.length > 0 || /[*?[\]\n]/.test(command)) return undefined;
  const isSame = ({ relay: other }: DecidedRelay) =>
    other.relayKind === 'permission' && other.tool === relay.tool && presentRelay(other).command === command;
  // Newest first: approvals before a rejection do not count.
  const same = decided.filter(isSame);
  const rejected = same.findIndex(({ outcome }) => outcome === 'reject');
  const count = (rejected < 0 ? same : same.slice(0, rejected)).filter(({ outcome }) => outcome === 'approve').length;
  if (count < leastApprovals) return undefined;
  return {
    count,
    sentence: `You approved this command ${numberWord(count)} times.`,
    effect: `${relay.tool} may run exactly “${command}” without asking`,
    rule: { tool: relay.tool, command, policy: 'allow' },
  };
}

const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function numberWord(count: number): string {
  return words[count] ?? count.toLocaleString('en');
}
