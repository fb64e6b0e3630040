/** What observational memory knows of a thread. */
export interface ObservationalMemoryRecord {
  /** The observations that are in use, as text. */
  readonly activeObservations: string;
  /** How often the observations were condensed. */
  readonly generationCount: number;
  readonly observationTokenCount: number;
}
