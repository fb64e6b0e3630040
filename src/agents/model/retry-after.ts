/** How long a service asks to wait, in milliseconds, by the headers of its answer; undefined when it does not say. */
export function retryAfter(headers: Readonly<Record<string, string>>, now = Date.now()): number | undefined {
  const ms = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (ms >= 0) return ms;
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
