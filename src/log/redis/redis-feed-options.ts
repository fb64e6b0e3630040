import { optionsCheck } from '../../base/options/check-options.ts';
import { callback, field, milliseconds, name } from '../../base/options/option-fields.ts';

export interface RedisFeedOptions {
  /** Begins the names of all streams; `singletree:` when absent. Stores that share a server need different ones. */
  readonly prefix?: string;
  /** About how many entries a stream keeps; 256 when absent. */
  readonly maxEntries?: number;
  /** How long a stream without news is kept, in milliseconds; an hour when absent. */
  readonly expireMs?: number;
  /** How long a read waits for news, in milliseconds; 2,000 when absent. */
  readonly blockMs?: number;
  /** How long other commands may take before the connection is closed, in milliseconds; 2,000 when absent. */
  readonly commandMs?: number;
  /** Called when Redis cannot be used any more, with the reason, and with undefined when it can again. */
  readonly onOutage?: (reason: string | undefined) => void;
}

/** Throws `invalid_argument` for options that are unknown or invalid. */
export const checkRedisFeedOptions = optionsCheck<RedisFeedOptions>('RedisFeed.open')(() => ({
  prefix: name().optional(),
  maxEntries: field(value => Number.isSafeInteger(value) && Number(value) > 0, 'a number above 0').optional(),
  expireMs: milliseconds().optional(),
  blockMs: milliseconds().optional(),
  commandMs: milliseconds().optional(),
  onOutage: callback().optional(),
}));

/** The settings shared by the publisher and the reader of a feed. */
export interface FeedSettings extends Required<Omit<RedisFeedOptions, 'onOutage'>> {
  readonly onSuccess: () => void;
  readonly onFailure: (error: unknown) => void;
  /** Waits before the next attempt, longer after each failure, up to a second; ends when the feed is closed. */
  readonly backOff: (failures: number) => Promise<void>;
}
