import * as z from 'zod';
import { field } from '../../events/options/option-fields.ts';

/** A limit of spending; an absent field has none. */
export interface Limit {
  /** Tokens sent and received. */
  readonly tokens?: number;
  /** In US dollars, as far as costs are known. */
  readonly cost?: number;
}

/** Limits of spending: reaching one ends a run before its next model call. */
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

/** An option that takes limits. */
export const limitsField = () => {
  const amount = () => field(value => typeof value === 'number' && value >= 0, 'a number, 0 or more').optional();
  const limit = () => z.strictObject({ tokens: amount(), cost: amount() }).optional();
  return z.strictObject({ run: limit(), thread: limit(), day: limit() });
};
