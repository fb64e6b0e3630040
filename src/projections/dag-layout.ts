import type { Conversation } from '../graph/conversation/conversation.ts';
import { idsFrom } from '../graph/conversation/queries.ts';
import { advance, emptySnapshot } from '../graph/versioned/advance.ts';
import type { Draft, Snapshot } from '../graph/versioned/store.ts';
import { type DagTier, type DagUnit, originOf, unitOf } from './dag-unit.ts';

/** Where a unit is drawn, and what it is drawn after. */
export interface Place {
  readonly unit: DagUnit;
  readonly row: number;
  readonly lane: number;
  readonly after?: { readonly unit: string; readonly kind: 'next' | 'reply' | 'spawn' };
  /** The last units of the runs that ended with it. */
  readonly returns: readonly string[];
}

interface Tables {
  place: Place;
  /** `all` to the units in the order in which they were placed. */
  order: string;
  /** How many ids of the conversation were looked at. */
  seen: number;
  /** Message to its newest unit and to the lane it is in. */
  newest: string;
  lane: number;
  /** Unit to the messages of the runs that were started from it. */
  started: string;
  /** Lane to the message it belongs to and to the lowest row in it. */
  holder: string;
  bottom: number;
  /** The lanes that are free again, and how many lanes there are. */
  free: readonly number[];
  lanes: number;
}

/** Where everything is drawn. A unit never moves: what comes later is put below or beside. */
export type DagLayout = Snapshot<Tables>;

/** A drawing of nothing. */
export function emptyLayout(): DagLayout {
  return emptySnapshot<Tables>();
}

/** The layout with what is new in the conversation, in time proportional to what is new. */
export function extendLayout(layout: DagLayout, conversation: Conversation, tier: DagTier): DagLayout {
  const seen = layout.last('seen', '') ?? 0;
  const ids = idsFrom(conversation, tier, seen);
  if (ids.length === 0) return layout;
  return advance(layout, {}, draft => {
    for (const id of ids) {
      const unit = unitOf(conversation, tier, id);
      if (unit !== undefined) put(draft, unit, originOf(conversation, tier, unit.messageId), tier);
    }
    draft.add('seen', '', seen + ids.length);
  });
}

type LayoutDraft = Draft<Tables>;
type Origin = ReturnType<typeof originOf>;

function put(draft: LayoutDraft, unit: DagUnit, origin: Origin, tier: DagTier): void {
  const { messageId } = unit;
  const previous = draft.last('newest', messageId);
  const after = previous === undefined ? beginning(draft, origin) : ({ unit: previous, kind: 'next' } as const);
  const ended = endedBy(draft, unit, after?.unit, tier);
  const returns = ended.flatMap(run => draft.last('newest', run) ?? []);
  const above = [...(after === undefined ? [] : [after.unit]), ...returns];
  const wanted = Math.max(-1, ...above.map(id => draft.last('place', id)?.row ?? -1)) + 1;
  const lane = laneFor(draft, unit, after, wanted);
  const row = Math.max(wanted, (draft.last('bottom', `${lane}`) ?? -1) + 1);
  draft.add('place', unit.id, { unit, row, lane, returns, ...(after !== undefined && { after }) });
  draft.add('order', '', unit.id);
  draft.add('newest', messageId, unit.id);
  draft.add('lane', messageId, lane);
  draft.add('holder', `${lane}`, messageId);
  draft.add('bottom', `${lane}`, row);
  if (previous === undefined && after?.kind === 'spawn') draft.add('started', after.unit, messageId);
  release(draft, ended);
}

/** What the first unit of a message comes after: what started it, or the newest unit before it on its branch. */
function beginning(draft: LayoutDraft, { parent, spawner }: Origin): Place['after'] {
  if (spawner !== undefined && draft.last('place', spawner) !== undefined) return { unit: spawner, kind: 'spawn' };
  const unit = parent === undefined ? undefined : draft.last('newest', parent);
  return unit === undefined ? undefined : { unit, kind: 'reply' };
}

/** The runs that have come to their end with a unit: those its call started, or those the unit before it started. */
function endedBy(draft: LayoutDraft, unit: DagUnit, after: string | undefined, tier: DagTier): readonly string[] {
  const starter = tier === 'chunk' ? unit.endOf : after;
  if (starter === undefined) return [];
  return draft.all('started', starter).filter(run => run !== unit.messageId);
}

/** The lane a message is in; a new message goes on in the lane of the one it follows, unless another has done so. */
function laneFor(draft: LayoutDraft, { messageId }: DagUnit, after: Place['after'], row: number): number {
  const own = draft.last('lane', messageId);
  if (own !== undefined && draft.last('holder', `${own}`) === messageId) return own;
  const before = after === undefined ? undefined : draft.last('place', after.unit);
  const follows = own === undefined && after?.kind === 'reply' && before !== undefined;
  if (follows && draft.last('holder', `${before.lane}`) === before.unit.messageId) return before.lane;
  return freeLane(draft, before?.lane ?? -1, row);
}

/** A lane to the right that is free at a row, or a new one. */
function freeLane(draft: LayoutDraft, left: number, row: number): number {
  const free = draft.last('free', '') ?? [];
  const found = free.find(lane => lane > left && (draft.last('bottom', `${lane}`) ?? -1) < row);
  if (found !== undefined) {
    draft.add(
      'free',
      '',
      free.filter(lane => lane !== found),
    );
    return found;
  }
  const lanes = draft.last('lanes', '') ?? 0;
  draft.add('lanes', '', lanes + 1);
  return lanes;
}

function release(draft: LayoutDraft, runs: readonly string[]): void {
  const free = draft.last('free', '') ?? [];
  const lanes = runs.flatMap(run => draft.last('lane', run) ?? []).filter(lane => !free.includes(lane));
  if (lanes.length > 0)
    draft.add(
      'free',
      '',
      [...free, ...lanes].toSorted((a, b) => a - b),
    );
}
