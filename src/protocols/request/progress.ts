/** A report of a running tool, in the one form that protocols show. */
export interface Progress {
  readonly label: string;
  /** Never falls within a call. */
  readonly phaseIndex: number;
  /** At least `phaseIndex`. */
  readonly totalPhases: number;
  readonly milestone?: unknown;
}

/**
 * Reads what a tool reported. `{ label, phaseIndex, totalPhases, milestone }` is taken as it is, a text is the label,
 * anything else the milestone; a report without a phase is the next phase.
 */
export function readProgress(content: unknown, { toolName, phase }: { toolName: string; phase: number }): Progress {
  const fields: Record<string, unknown> = typeof content === 'object' && content !== null ? { ...content } : {};
  const { label, phaseIndex, totalPhases, milestone } = fields;
  const known = typeof label === 'string' || isCount(phaseIndex);
  const index = Math.max(phase, isCount(phaseIndex) ? phaseIndex : phase + 1);
  const reported = known ? milestone : content;
  return {
    label: typeof label === 'string' ? label : typeof content === 'string' ? content : toolName,
    phaseIndex: index,
    totalPhases: Math.max(index, isCount(totalPhases) ? totalPhases : index),
    ...(reported !== undefined && typeof content !== 'string' && { milestone: reported }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
