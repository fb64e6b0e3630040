import type { Line } from '../screen/styled-line.ts';

/** What kind of thing a row shows; rows of different kinds are separated by an empty line. */
export type RowKind = 'user' | 'text' | 'tool' | 'reasoning' | 'notice' | 'turn';

/** A finished piece of a thread. Its text never changes; only its layout depends on the width. */
export interface Row {
  readonly id: string;
  readonly kind: RowKind;
  /** The message that it belongs to. */
  readonly messageId: string;
  /** Whether it continues the row before it, so that nothing separates them. */
  readonly isContinued?: boolean;
  /** The lines of the row for a window of this width; longer ones are wrapped where they are shown. */
  lines(width: number): readonly Line[];
  /** Everything of it, for the transcript: absent when `lines` hides nothing. */
  readonly whole?: ((width: number) => readonly Line[]) | undefined;
}
