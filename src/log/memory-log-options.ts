import { optionsCheck } from '../base/options/check-options.ts';
import { callback, field } from '../base/options/option-fields.ts';
import { largestMaxEventBytes } from './event-size.ts';

export interface MemoryLogOptions {
  /** The time of day, in milliseconds since 1970. */
  now?: () => number;
  /** A clock that never jumps, in milliseconds: it ends leases. `now` if that is given, else the time since the machine started. */
  uptime?: () => number;
  /** The longest event it stores, in bytes of JSON; 16 MiB when absent, 500 MiB at most. */
  maxEventBytes?: number;
}

/** A field that takes a number of bytes. */
export const byteCount = () => field(value => typeof value === 'number' && value > 0, 'a number of bytes above 0');

/** A field that takes the limit of an event. */
export const eventByteCount = () =>
  field(
    value => typeof value === 'number' && value > 0 && value <= largestMaxEventBytes,
    `a number of bytes above 0 and up to ${largestMaxEventBytes}`,
  );

/** Throws `invalid_argument` for options that are unknown or invalid. */
export const checkMemoryLogOptions = optionsCheck<MemoryLogOptions>('new MemoryLog')(() => ({
  now: callback().optional(),
  uptime: callback().optional(),
  maxEventBytes: eventByteCount().optional(),
}));
