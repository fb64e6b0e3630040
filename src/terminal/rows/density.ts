/** How much of calls is shown in the conversation; the transcript has all of it. */
export type Density = 'quiet' | 'normal' | 'full';

/** The most lines that a call shows: of a change, of an output, and of the output of a call that failed. */
export interface DensityLimits {
  readonly diff: number;
  readonly output: number;
  readonly failed: number;
}

/** The limits of each density. */
export const densities: Readonly<Record<Density, DensityLimits>> = {
  quiet: { diff: 0, output: 0, failed: 5 },
  normal: { diff: 20, output: 5, failed: 12 },
  full: { diff: 200, output: 200, failed: 200 },
};

/** Whether a text names a density. */
export function isDensity(text: string): text is Density {
  return Object.hasOwn(densities, text);
}
