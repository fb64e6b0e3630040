import type { RelayEntry } from '../../projections/index.ts';
import { type Composer, emptyComposer } from '../composer/composer.ts';

/** What a person does with what waits for an answer. */
export type BandFocus =
  /** Keys answer, unless the person writes a message. */
  | 'keys'
  /** The person writes the reason of a rejection. */
  | 'reason'
  /** The person writes an answer. */
  | 'answer'
  /** The person left it undecided: it is one line, and waits in the inbox. */
  | 'left';

/** The band that shows what waits for an answer. */
export interface Band {
  readonly relayId: string;
  readonly focus: BandFocus;
  /** The draft when the band appeared on the screen, or the person went to it; undefined before a frame showed it. */
  readonly draft: Composer | undefined;
  /** The marked option of a question, and those that are chosen. */
  readonly marked: number;
  readonly chosen: ReadonlySet<number>;
  readonly input: Composer;
  /** Whether all of it is shown. */
  readonly isLarge: boolean;
}

/** Returns the band for what waits: the same one while its relay waits, else one for the oldest. */
export function nextBand(band: Band | undefined, pending: readonly RelayEntry[], draft: Composer): Band | undefined {
  if (band !== undefined && pending.some(({ id }) => id === band.relayId)) return band;
  const [first] = pending;
  return first === undefined ? undefined : newBand(first, draft);
}

/** Returns the band of a relay that no frame showed yet. A question without options is answered in words, unless a draft is begun. */
export function newBand({ id, relay }: RelayEntry, { text }: Composer): Band {
  const isOpenQuestion = relay.relayKind === 'question' && (relay.options ?? []).length === 0;
  return {
    relayId: id,
    focus: isOpenQuestion && text === '' ? 'answer' : 'keys',
    draft: undefined,
    marked: 0,
    chosen: new Set(),
    input: emptyComposer,
    isLarge: false,
  };
}

/** Whether keys answer: the band is on the screen, and the draft has nothing that was written since then. */
export function takesKeys({ focus, draft }: Band, composer: Composer): boolean {
  return focus === 'keys' && draft !== undefined && (composer === draft || composer.text === '');
}

/** Whether the person writes a reason or an answer. */
export function isWriting({ focus, draft }: Band): boolean {
  return (focus === 'reason' || focus === 'answer') && draft !== undefined;
}

/** The band after the person left it: it waits in the inbox. */
export function leaveBand(band: Band): Band {
  return { ...band, focus: 'left', input: emptyComposer };
}

/** The band of the next relay that waits; the same one when it is the only one. */
export function followingBand(band: Band, pending: readonly RelayEntry[], draft: Composer): Band {
  const at = pending.findIndex(({ id }) => id === band.relayId);
  const next = pending[(at + 1) % pending.length];
  return next === undefined || next.id === band.relayId ? band : newBand(next, draft);
}

/** Moves the mark among the options of a question. */
export function moveMark(band: Band, step: 1 | -1, count: number): Band {
  return count === 0 ? band : { ...band, marked: (band.marked + step + count) % count };
}

/** Chooses the marked option, or takes it back. */
export function toggleMark(band: Band): Band {
  const chosen = new Set(band.chosen);
  if (!chosen.delete(band.marked)) chosen.add(band.marked);
  return { ...band, chosen };
}
