import type { RunResult } from '../../agents/contract/run-result.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';

export type RunOutcome = RunResult['reason'];

/** More different codes count as `other`: external programs choose their own. */
const mostCodes = 100;

/** Counts the outcomes, errors, events and tokens of a process's runs since it started. */
export class RunCounts {
  readonly outcomes = new Map<RunOutcome, number>();
  readonly errors = new Map<string, number>();
  events = 0;
  usage: UsageCounts = noUsage;

  /** Counts an event that a run emitted. */
  take(event: AgentEvent): void {
    this.events++;
    if (event.type === 'usage') this.usage = addUsage(this.usage, event);
    if (event.type === 'error') this.addError(event.code ?? 'unknown');
  }

  addError(code: string): void {
    addTo(this.errors, this.errors.has(code) || this.errors.size < mostCodes ? code : 'other');
  }

  end(outcome: RunOutcome): void {
    addTo(this.outcomes, outcome);
  }
}

function addTo<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
