import type { UsedTokens } from '../../../../agent.ts';
import { SessionUsage } from '../../../shared/session-usage.ts';
import { recordOf, type WireRecord } from '../../../shared/wire-value.ts';
import { readUsage } from '../wire.ts';

interface Counted {
  session: SessionUsage;
  total?: UsedTokens | undefined;
}

/** The usage of the threads of one connection: Codex reports totals, turns report what they added. */
export class ThreadUsage {
  readonly #threads = new Map<string, Counted>();

  /** Registers the usage of earlier runs, unless the program has reported it. */
  before(threadId: string, used: UsedTokens | undefined): void {
    if (!this.#threads.has(threadId)) this.#threads.set(threadId, { session: new SessionUsage(used) });
  }

  /** Registers a reported total; one that does not belong to the open turn is where the next turn begins. */
  report(threadId: string, tokenUsage: unknown, isOfTurn: boolean): boolean {
    const total = totalOf(recordOf(tokenUsage)?.['total']);
    if (total === undefined) return false;
    if (!isOfTurn) this.#threads.set(threadId, { session: new SessionUsage(total) });
    else {
      const counted = this.#threads.get(threadId) ?? { session: new SessionUsage(undefined) };
      counted.total = total;
      this.#threads.set(threadId, counted);
    }
    return true;
  }

  /** Returns the usage since the last turn of a thread; undefined when nothing was reported. */
  take(threadId: string): UsedTokens | undefined {
    const counted = this.#threads.get(threadId);
    const total = counted?.total;
    if (counted === undefined || total === undefined) return undefined;
    counted.total = undefined;
    return counted.session.since(total);
  }
}

function totalOf(value: unknown): UsedTokens | undefined {
  const total = recordOf(value);
  return total && readUsage(execUsage(total));
}

function execUsage(total: WireRecord): WireRecord {
  return {
    input_tokens: total['inputTokens'],
    output_tokens: total['outputTokens'],
    cached_input_tokens: total['cachedInputTokens'],
    cache_write_input_tokens: total['cacheWriteInputTokens'],
    reasoning_output_tokens: total['reasoningOutputTokens'],
  };
}
