import type { RelayAnswer } from '../../agents/contract/host.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { RelayEntry } from '../../projections/relay-book.ts';
import { possibleAnswers } from '../../projections/possible-answers.ts';
import type { CallPlace } from '../../projections/presentation/present-call.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { type Composer, emptyComposer } from '../composer/composer.ts';
import type { ActionName } from '../keys/actions.ts';

/** The state of a user's interaction with a relay. */
type BandFocus =
  /** Keys answer, unless the person writes a message. */
  | 'keys'
  /** The person writes the reason of a rejection. */
  | 'reason'
  /** The person writes an answer. */
  | 'answer'
  /** The person left it undecided: it is one line, and waits in the inbox. */
  | 'left';

/** The band that shows a pending relay. */
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

/**
 * Returns the same band while its relay is pending, else a band for the oldest pending relay; undefined when there is
 * none.
 */
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

/** The effect of a key while the band has the focus. */
export interface BandEffect {
  readonly band?: Band;
  readonly answer?: PersonAnswer;
  /** A word to the person. */
  readonly notice?: string;
  /** Whether the person changes the input in the editor first. */
  readonly revises?: boolean;
}

/** The pending relays and the context in which the band shows one. */
export interface BandSituation {
  readonly pending: readonly RelayEntry[];
  /** The draft of the message. */
  readonly draft: Composer;
  /** The agent that asks, and the folder it works in. */
  readonly place: CallPlace;
}

/** Returns what an action means for the band; undefined when it means nothing there. */
export function actOnBand(band: Band, action: ActionName, situation: BandSituation): BandEffect | undefined {
  const { pending, draft, place } = situation;
  const relay = pending.find(({ id }) => id === band.relayId)?.relay;
  if (relay === undefined) return undefined;
  const isQuestion = relay.relayKind === 'question';
  const { risks, answers } = presentRelay(relay, place);
  const approve = (remember: 'once' | 'thread' | 'category'): BandEffect =>
    isQuestion ? {} : { answer: { type: 'approve', remember } };
  switch (action) {
    case 'relay.approve':
      return approve('once');
    case 'relay.approve-thread':
      return approve('thread');
    case 'relay.approve-always':
      return approve('category');
    case 'relay.choose':
      if (isQuestion) return chooseMarked(band, relay);
      if (risks.length > 0 || relay.relayKind === 'plan') return { notice: 'press y to approve this' };
      return approve('once');
    case 'relay.reject':
      return isQuestion ? {} : { band: { ...band, focus: 'reason' } };
    case 'relay.edit':
      if (isQuestion) return { band: { ...band, focus: 'answer' } };
      if (answers.some(({ outcome }) => outcome === 'revise')) return { revises: true };
      return { notice: 'this agent takes no changed input: n rejects with a reason' };
    case 'relay.leave':
      return { band: leaveBand(band) };
    case 'relay.next':
      return { band: followingBand(band, pending, draft) };
    case 'relay.enlarge':
      return { band: { ...band, isLarge: !band.isLarge } };
    case 'relay.up':
    case 'relay.down': {
      const { length } = getOptions(relay);
      const marked = band.marked + (action === 'relay.up' ? -1 : 1);
      return length === 0 ? {} : { band: { ...band, marked: (marked + length) % length } };
    }
    case 'relay.toggle':
      return { band: toggleMark(band) };
    default:
      return undefined;
  }
}

/** Takes a digit as the choice of an option; undefined when it is none. */
export function typeOnBand(band: Band, text: string, pending: readonly RelayEntry[]): BandEffect | undefined {
  const relay = pending.find(({ id }) => id === band.relayId)?.relay;
  const marked = /^[1-9]$/.test(text) ? Number(text) - 1 : -1;
  if (relay === undefined || getOptions(relay)[marked] === undefined) return undefined;
  return isMultiple(relay) ? { band: toggleMark({ ...band, marked }) } : chooseMarked({ ...band, marked }, relay);
}

function chooseMarked({ marked, chosen }: Band, relay: EventOf<'relay'>): BandEffect {
  const picked = isMultiple(relay) && chosen.size > 0 ? [...chosen].toSorted((a, b) => a - b) : [marked];
  const labels = picked.flatMap(at => getOptions(relay)[at]?.label ?? []);
  const [only] = labels;
  return only === undefined ? {} : { answer: { type: 'answer', answer: isMultiple(relay) ? labels : only } };
}

/** Chooses the marked option, or takes it back. */
function toggleMark(band: Band): Band {
  const chosen = new Set(band.chosen);
  if (!chosen.delete(band.marked)) chosen.add(band.marked);
  return { ...band, chosen };
}

function getOptions(relay: EventOf<'relay'>) {
  return relay.relayKind === 'question' ? (relay.options ?? []) : [];
}

function isMultiple(relay: EventOf<'relay'>): boolean {
  return relay.relayKind === 'question' && relay.selectionMode === 'multi_select';
}

/** The user's answer to a relay. */
export type PersonAnswer =
  | { readonly type: 'approve'; readonly remember: 'once' | 'thread' | 'category' }
  | { readonly type: 'reject'; readonly feedback?: string }
  | { readonly type: 'revise'; readonly input: unknown }
  | { readonly type: 'answer'; readonly answer: string | readonly string[] };

/** Converts the answer of a person to that of a relay; throws `invalid_argument` for a question that is not answered in words. */
export function toRelayAnswer({ relay }: RelayEntry, given: PersonAnswer): Omit<RelayAnswer, 'relayId'> {
  const outcome = given.type === 'approve' ? 'approve' : 'reject';
  const feedback = given.type === 'reject' && given.feedback !== undefined ? { feedback: given.feedback } : {};
  switch (relay.relayKind) {
    case 'permission':
      if (given.type === 'revise') return { outcome: 'revise', input: given.input };
      return given.type === 'approve' ? { outcome, remember: given.remember } : { outcome, ...feedback };
    case 'plan':
      return { outcome, ...feedback };
    case 'question': {
      if (given.type !== 'answer') throw notAnAnswer();
      const { answer } = given;
      return { outcome: 'answer', answer: typeof answer === 'string' ? answer : [...answer] };
    }
    case 'access':
      return given.type === 'approve' ? { outcome, remember: 'thread' } : { outcome };
    case 'suspension':
      if (!possibleAnswers(relay).includes('answer')) return { outcome };
      if (given.type === 'answer') return { outcome: 'answer', input: given.answer };
      return { outcome: 'answer', input: given.type === 'revise' ? given.input : { approved: outcome === 'approve' } };
    default:
      return relay satisfies never;
  }
}

function notAnAnswer(): SingletreeError {
  return new SingletreeError(
    'invalid_argument',
    'A question takes a written or chosen answer. Type it and press Enter.',
  );
}
