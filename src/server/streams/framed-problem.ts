import type { Redactor } from '../../agents/redaction/redactor.ts';
import type { Framing } from '../../protocols/framing.ts';
import { problemOf } from '../problem-response.ts';

/** Encodes the last frame of a stream that cannot continue. */
export function framedProblem(error: unknown, framing: Framing, redactor: Redactor): Uint8Array {
  const problem = problemOf(error);
  return new TextEncoder().encode(framing.problem({ ...problem, detail: redactor.text(problem.detail) }));
}
