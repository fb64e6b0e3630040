/** The record of observational memory for a thread. */
export interface ObservationalMemoryRecord {
  /** The active observations, as text. */
  readonly activeObservations: string;
  /** How often the observations were condensed. */
  readonly generationCount: number;
  readonly observationTokenCount: number;
}
