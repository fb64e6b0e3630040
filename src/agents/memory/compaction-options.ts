import * as z from 'zod';
import type { OptionFields } from '../../base/options/check-options.ts';
import { callback, flag, number, text } from '../../base/options/option-fields.ts';
import type { ModelSource } from '../contract/model.ts';
import { modelSource } from '../model/call/model-options.ts';

export interface CompactionOptions {
  /** The number of tokens that triggers a summary. Default: four fifths of the model's context window, or 100,000. */
  readonly threshold?: number;
  /** The approximate number of tokens of the newest turns that stay unchanged. Default: a quarter of the threshold. */
  readonly keep?: number;
  /** The model that writes the summary. Default: the model of the run. */
  readonly model?: ModelSource;
  /** The instructions for the summary. */
  readonly instructions?: string;
  /** Whether user messages are kept verbatim in addition to the summary. Default: false. */
  readonly keepsUserMessages?: boolean;
  /** Returns a text that each summary ends with, such as the open tasks. */
  readonly append?: () => string;
}

/** The schema of an option for compaction options, or false. */
export const compactionOption = () => {
  const changes = z.strictObject({
    threshold: number().optional(),
    keep: number().optional(),
    model: modelSource().optional(),
    instructions: text().optional(),
    keepsUserMessages: flag().optional(),
    append: callback().optional(),
  } satisfies OptionFields<CompactionOptions>);
  return z.union([z.literal(false), changes], { error: 'expected an object, or false' });
};
