import * as z from 'zod';

/** Where a reader of encoded frames is: it has all of the events up to `seq`, and of the next one so many chunks. */
export interface Position {
  readonly seq: number;
  readonly chunks: number;
}

/** The id of the last chunk of an event is its seq; one before it says also its number, as in `12:1`. */
export function frameId(seq: number, number: number, count: number): string {
  return number === count ? String(seq) : `${seq}:${number}`;
}

/** A position written as a frame's id. */
export const position = z
  .string()
  .regex(/^\d{1,15}(:\d{1,6})?$/, 'expected a whole number, or the id of a frame')
  .transform((id): Position => {
    const [seq, chunks] = id.split(':').map(Number) as [number, number?];
    return chunks === undefined ? { seq, chunks: 0 } : { seq: Math.max(0, seq - 1), chunks };
  });
