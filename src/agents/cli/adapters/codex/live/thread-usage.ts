import type { UsedTokens } from '../../../../contract/host.ts';
import { SessionUsage } from '../../../shared/session-usage.ts';
import { toRecord, type WireRecord } from '../../../shared/wire-value.ts';
import { readUsage } from '../wire.ts';

interface Counted {
  session: SessionUsage;
  /** Whether the program has reported where the next turn begins. */
  isKnown: boolean;
  total?: UsedTokens | undefined;
}

/** The usage of the threads of one connection: Codex reports totals, turns report what they added. */
export class ThreadUsage {
  readonly #threads = new Map<string, Counted>();

  /** Registers the usage of earlier runs, until the program reports it. */
  before(threadId: string, used: UsedTokens | undefined): void {
    if (!this.#threads.has(threadId)) this.#threads.set(threadId, { session: new SessionUsage(used), isKnown: false });
  }

  /** Registers a reported total; one that does not belong to the open turn is where the next turn begins. */
  report(threadId: string, tokenUsage: unknown, isOfTurn: boolean): boolean {
    const usage = toRecord(tokenUsage);
    const total = readCounts(usage?.['total']);
    const last = readCounts(usage?.['last']);
    if (total === undefined) return false;
    this.before(threadId, undefined);
    const counted = this.#threads.get(threadId) as Counted;
    const begin = isOfTurn ? last && difference(total, last) : total;
    if (begin !== undefined && (!counted.isKnown || !isOfTurn)) {
      counted.session = new SessionUsage(begin);
      counted.isKnown = true;
    }
    counted.total = isOfTurn ? total : undefined;
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

function readCounts(value: unknown): UsedTokens | undefined {
  const counts = toRecord(value);
  return counts && readUsage(execUsage(counts));
}

/** The total before the last model call. */
function difference(total: UsedTokens, last: UsedTokens): UsedTokens {
  const before: UsedTokens = { ...total };
  for (const name of Object.keys(total) as (keyof UsedTokens)[])
    before[name] = Math.max(0, (total[name] ?? 0) - (last[name] ?? 0));
  return before;
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
