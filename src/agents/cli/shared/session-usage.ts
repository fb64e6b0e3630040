import type { UsedTokens } from '../../agent.ts';

/** What a run used, for programs that count all that their session used. */
export class SessionUsage {
  #before: UsedTokens | undefined;

  constructor(before: UsedTokens | undefined) {
    this.#before = before;
  }

  /**
   * What was used since the last total; undefined when that is nothing. A total below the last one is that of another
   * session and counts as it is.
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
