import { possibleAnswers, type RelayEntry } from '../../projections/index.ts';
import { type Composer, emptyComposer } from '../composer/composer.ts';

/** What the keyboard does while something waits for an answer. */
export type BandFocus =
  /** The band is only shown; keys belong to the composer. */
  | 'passive'
  /** Keys answer. */
  | 'keys'
  /** The person writes the reason of a rejection. */
  | 'reason'
  /** The person writes an answer. */
  | 'answer';

/** The band that shows what waits for an answer. */
export interface Band {
  readonly relayId: string;
  readonly shownAt: number;
  readonly focus: BandFocus;
  /** Whether the person went to it; else it took the keyboard because nobody used it. */
  readonly isEntered: boolean;
  /** Whether the person left it undecided: it is one line then. */
  readonly isLeft: boolean;
  /** The marked option of a question, and those that are chosen. */
  readonly marked: number;
  readonly chosen: ReadonlySet<number>;
  readonly input: Composer;
  /** Whether all of it is shown. */
  readonly isLarge: boolean;
}

/** What a person is doing when something begins to wait. */
export interface BandSituation {
  readonly now: number;
  readonly hasDraft: boolean;
  /** When a key was last pressed. */
  readonly lastKeyAt: number;
}

/** A key this short before makes the band passive. */
const quietMs = 1_000;
/** Keys this soon after the band appeared were meant for something else. */
const graceMs = 500;

/**
 * Returns the band for what waits: the same one while its relay waits, else one for the oldest. It takes the keyboard
 * only when there is no draft and no key was pressed for a second.
 */
export function nextBand(
  band: Band | undefined,
  pending: readonly RelayEntry[],
  situation: BandSituation,
): Band | undefined {
  if (band !== undefined && pending.some(({ id }) => id === band.relayId)) return band;
  const [first] = pending;
  if (first === undefined) return undefined;
  const isQuiet = !situation.hasDraft && situation.now - situation.lastKeyAt >= quietMs;
  return {
    relayId: first.id,
    shownAt: situation.now,
    focus: isQuiet ? 'keys' : 'passive',
    isEntered: false,
    isLeft: false,
    marked: 0,
    chosen: new Set(),
    input: emptyComposer,
    isLarge: false,
  };
}

/** Whether keys answer now. */
export function takesKeys({ focus, isEntered, shownAt }: Band, now: number): boolean {
  return focus !== 'passive' && (isEntered || now - shownAt >= graceMs);
}

/** The band after the person went to it. */
export function enterBand(band: Band, entry: RelayEntry): Band {
  const isOpenQuestion = entry.relay.relayKind === 'question' && (entry.relay.options ?? []).length === 0;
  return { ...band, focus: isOpenQuestion ? 'answer' : 'keys', isEntered: true, isLeft: false };
}

/** The band after the person left it: it waits in the inbox. */
export function leaveBand(band: Band): Band {
  return { ...band, focus: 'passive', isEntered: false, isLeft: true, input: emptyComposer };
}

/** The band of the next relay that waits; the same one when it is the only one. */
export function followingBand(band: Band, pending: readonly RelayEntry[], now: number): Band {
  const at = pending.findIndex(({ id }) => id === band.relayId);
  const next = pending[(at + 1) % pending.length];
  return next === undefined || next.id === band.relayId
    ? band
    : { ...band, relayId: next.id, shownAt: now, marked: 0, chosen: new Set(), input: emptyComposer, focus: 'keys' };
}

/** Whether the input of a call can be changed before it runs: not every agent takes another one. */
export function canRevise(relay: RelayEntry['relay']): boolean {
  return relay.relayKind === 'permission' && possibleAnswers(relay).includes('revise');
}

const destructive =
  /\b(?:rm|rmdir|dd|mkfs|shred|truncate|chmod|chown|kill|pkill|killall|shutdown|reboot|sudo|doas)\b|\bgit\s+(?:push|reset|clean|checkout|restore|rebase|branch\s+-D)\b|\b(?:drop|delete|truncate)\s+(?:table|database|from)\b|(?<![<>])>(?!>)\s*\S|--force\b|\bnpm\s+publish\b/i;

/** Whether a call may destroy something: Enter alone does not approve it. */
export function isDestructive({ relay }: RelayEntry): boolean {
  if (relay.relayKind !== 'permission') return false;
  if (relay.personOnly === true) return true;
  return destructive.test(relay.command ?? JSON.stringify(relay.params)) || /delete|remove/i.test(relay.tool);
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
