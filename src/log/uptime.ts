/** Milliseconds since the machine started, without jumps: all processes of a machine read the same clock. */
export function systemUptime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
