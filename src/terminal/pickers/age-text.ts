const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** Returns how long ago something was: `3 h ago`. */
export function ageText(at: number, now: number): string {
  const age = Math.max(0, now - at);
  const unit = units.find(([, ms]) => age >= ms);
  return unit === undefined ? 'just now' : `${Math.floor(age / unit[1])} ${unit[0]} ago`;
}
