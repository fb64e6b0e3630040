import { toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';

/** Returns the message of a retry notice. */
export function retryMessage(record: WireRecord): string {
  const status = toNumber(record['error_status']);
  const error = toText(record['error']) ?? 'unknown error';
  const attempt = toNumber(record['attempt']) ?? '?';
  const most = toNumber(record['max_retries']) ?? '?';
  const delay = toNumber(record['retry_delay_ms']);
  const wait = delay === undefined ? '' : ` in ${Math.round(delay)} ms`;
  return `The API failed${status === undefined ? '' : ` with status ${status}`} (${error}): retry ${attempt} of ${most}${wait}.`;
}

/** Returns the message of a rate limit notice; undefined when the status is `allowed`. */
export function rateLimitMessage(record: WireRecord): string | undefined {
  const info = toRecord(record['rate_limit_info']);
  const status = toText(info?.['status']) ?? toText(record['status']);
  if (status === 'allowed') return undefined;
  const kind = toText(info?.['rateLimitType']);
  const used = toNumber(info?.['utilization']);
  const resets = toNumber(info?.['resetsAt']);
  const parts = [
    `Rate limit: ${status ?? 'unknown status'}`,
    ...(kind === undefined ? [] : [`window ${kind}`]),
    ...(used === undefined ? [] : [`${Math.round(used * 100)} % used`]),
    ...(resets === undefined || Math.abs(resets) > 8e12 ? [] : [`resets at ${new Date(resets * 1000).toISOString()}`]),
  ];
  return parts.join(', ');
}
