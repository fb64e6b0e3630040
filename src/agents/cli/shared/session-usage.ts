import type { UsedTokens } from '../../contract/host.ts';

/** Computes the usage of a run, for programs that report totals of their session. */
export class SessionUsage {
  #before: UsedTokens | undefined;

  constructor(before: UsedTokens | undefined) {
    this.#before = before;
  }

  /**
   * Returns the usage since the last total; undefined if no tokens were used. A total below the last one belongs to
   * another session and counts in full.
   */
  since(total: UsedTokens): UsedTokens | undefined {
    const before = this.#before;
    this.#before = total;
    if (before === undefined || total.inputTokens < before.inputTokens || total.outputTokens < before.outputTokens)
      return total;
    const used: UsedTokens = { ...total };
    for (const name of Object.keys(total) as (keyof UsedTokens)[])
      used[name] = Math.max(0, (total[name] ?? 0) - (before[name] ?? 0));
    return used.inputTokens + used.outputTokens === 0 ? undefined : used;
  }
}
