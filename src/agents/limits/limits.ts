import * as z from 'zod';
import { field } from '../../base/options/option-fields.ts';

/** A limit of spending; an absent field has none. */
export interface Limit {
  /** Tokens sent and received. */
  readonly tokens?: number;
  /** In US dollars, as far as costs are known. */
  readonly cost?: number;
  /**
   * The action when it is reached. `ask` pauses the run until a user approves the same amount again; a rejection ends
   * the run, and so does a missing source of answers. Default: `end`.
   */
  readonly then?: 'end' | 'ask';
}

/** Limits of spending: reaching one ends a run before its next model call, or asks whether it may continue. */
export interface Limits {
  /** Of one run and the runs below it. */
  readonly run?: Limit;
  /** Of a thread. */
  readonly thread?: Limit;
  /** Of all threads in one day, in UTC. */
  readonly day?: Limit;
}

/** The code of the error, and the reason of the end, of a run that reached a limit. */
export const limitReached = 'limit_reached';

/** Whether approvals can extend a limit: each adds the amount of the limit, which must not be 0. */
export function canAsk({ tokens, cost, then }: { [Key in keyof Limit]?: Limit[Key] | undefined }): boolean {
  return then !== 'ask' || (tokens !== 0 && cost !== 0);
}

/** Why a limit that asks is refused. */
export const zeroAsks = 'expected tokens and cost above 0 with then: "ask"';

/** The schema of an option for limits. */
export const limitsField = () => {
  const amount = () => field(value => typeof value === 'number' && value >= 0, 'a number, 0 or more').optional();
  const then = () => field(value => value === 'end' || value === 'ask', '"end" or "ask"').optional();
  const limit = () =>
    z
      .strictObject({ tokens: amount(), cost: amount(), then: then() })
      .refine(value => canAsk(value as Limit), zeroAsks)
      .optional();
  return z.strictObject({ run: limit(), thread: limit(), day: limit() });
};
