import type { OptionFields } from '../../base/options/check-options.ts';
import { callback, name } from '../../base/options/option-fields.ts';
import * as z from 'zod';
import type { PriceOf } from './totals.ts';

export interface RequestOptions {
  /** The root run; the first run of the events when absent. */
  readonly runId?: string | undefined;
  /** The cost of a report in US dollars; what the report itself says when absent. */
  readonly priceOf?: PriceOf | undefined;
}

/** The options of the fold of one request. */
export const foldFields = () =>
  ({ runId: name().optional(), priceOf: callback().optional() }) satisfies OptionFields<RequestOptions>;

/** The options that every encoder of one request has. */
export const requestFields = () => ({
  ...foldFields(),
  threadId: name().optional(),
  currency: z.strictObject({ code: name(), perDollar: z.number().positive() }).optional(),
});
