import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses `500ms`, `90s`, `10m` or `1h` to milliseconds; throws for anything else, also for a number without a unit. */
export function duration(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? [];
  const milliseconds = Number(amount) * (units[unit] ?? 1);
  if (amount === undefined || milliseconds < 1 || milliseconds > 2 ** 31 - 1)
    throw new InvalidArgumentError('expected a time with its unit, such as 90s, 10m or 1h');
  return milliseconds;
}
