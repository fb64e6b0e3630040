import * as z from 'zod';
import type { AgentEvent } from '../events/vocabulary.ts';
import { optionsCheck } from '../base/options/check-options.ts';
import { type Active, defaultActive } from '../graph/conversation/active.ts';
import { type Conversation, createConversation, reduceConversation } from '../graph/conversation/conversation.ts';
import { getBlock, getChunk, getMessage, getRun } from '../graph/conversation/queries.ts';
import { type DagLayout, emptyLayout, extendLayout, type Place } from './dag-layout.ts';
import { type DagTier, faceOf, isGone } from './dag-unit.ts';
import type { Fold } from './fold.ts';

export interface DagNode {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly messageId: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DagEdge {
  readonly from: string;
  readonly to: string;
  /** `next` within a message, `reply` to the next message, `spawn` into a subagent, `return` from it. */
  readonly kind: 'next' | 'reply' | 'spawn' | 'return';
}

/** The frame around a subagent. */
export interface DagGroup {
  readonly id: string;
  readonly label: string;
  /** The group it is inside of. */
  readonly parentId?: string;
  readonly nodeIds: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Dag {
  readonly nodes: readonly DagNode[];
  readonly edges: readonly DagEdge[];
  readonly groups: readonly DagGroup[];
}

export interface DagOptions {
  /** What the nodes are; chunks when absent. */
  readonly by?: DagTier;
}

const checkOptions = optionsCheck<DagOptions>('projectDAG')(() => ({
  by: z.enum(['chunk', 'block', 'message'] satisfies DagTier[]).optional(),
}));

const size = { width: 180, height: 40, gapX: 40, gapY: 24, frame: 10 };

/**
 * A conversation as a drawing, in layers from top to bottom: everything is below what it came after, nothing overlaps,
 * and a node never moves, whatever is added or selected. It takes linear time.
 */
export function projectDAG(conversation: Conversation, active: Active, options: DagOptions = {}): Dag {
  checkOptions(options);
  const { by = 'chunk' } = options;
  return draw(conversation, active, extendLayout(emptyLayout(), conversation, by), by);
}

export interface DagState {
  readonly conversation: Conversation;
  readonly layout: DagLayout;
}

/** The drawing of the active branch as a fold; an event adds to it in constant time. */
export function dagFold(options: DagOptions = {}): Fold<DagState, Dag> {
  checkOptions(options);
  const { by = 'chunk' } = options;
  return {
    get initial() {
      return { conversation: createConversation(), layout: emptyLayout() };
    },
    step: (state: DagState, event: AgentEvent) => {
      const conversation = reduceConversation(state.conversation, event);
      if (conversation === state.conversation) return state;
      return { conversation, layout: extendLayout(state.layout, conversation, by) };
    },
    view: ({ conversation, layout }) => draw(conversation, defaultActive(conversation), layout, by),
  };
}

function draw(conversation: Conversation, active: Active, layout: DagLayout, tier: DagTier): Dag {
  const shown = new Set(active.messages);
  const isShown = (messageId: string) => shown.has([...outward(conversation, messageId)].at(-1) as string);
  const known = new Map<string, boolean>();
  const places = layout.all('order', '').flatMap(id => {
    const place = layout.last('place', id) as Place;
    const { messageId } = place.unit;
    let visible = known.get(messageId);
    if (visible === undefined) known.set(messageId, (visible = isShown(messageId)));
    return visible && !isGone(conversation, tier, id) ? [place] : [];
  });
  const drawn = new Set(places.map(({ unit }) => unit.id));
  const nodes = places.map(place => nodeOf(conversation, place, tier));
  const edges = places.flatMap(place => edgesOf(layout, place, drawn));
  return { nodes, edges, groups: groupsOf(conversation, nodes) };
}

function nodeOf(conversation: Conversation, { unit, row, lane }: Place, tier: DagTier): DagNode {
  return {
    id: unit.id,
    ...faceOf(conversation, tier, unit.id),
    messageId: unit.messageId,
    x: lane * (size.width + size.gapX),
    y: row * (size.height + size.gapY),
    width: size.width,
    height: size.height,
  };
}

/** The edges into a unit; those of units that are not drawn go to the nearest one before them. */
function edgesOf(layout: DagLayout, { unit, after, returns }: Place, drawn: ReadonlySet<string>): DagEdge[] {
  const nearest = (id: string | undefined): string | undefined => {
    let at = id;
    while (at !== undefined && !drawn.has(at)) at = layout.last('place', at)?.after?.unit;
    return at;
  };
  const from = nearest(after?.unit);
  const edges: DagEdge[] = after === undefined || from === undefined ? [] : [{ from, to: unit.id, kind: after.kind }];
  for (const id of returns) if (drawn.has(id)) edges.push({ from: id, to: unit.id, kind: 'return' });
  return edges;
}

function groupsOf(conversation: Conversation, nodes: readonly DagNode[]): DagGroup[] {
  const members = new Map<string, DagNode[]>();
  for (const node of nodes) {
    if (getMessage(conversation, node.messageId)?.spawnedBy === undefined) continue;
    const known = members.get(node.messageId);
    if (known === undefined) members.set(node.messageId, [node]);
    else known.push(node);
  }
  return [...members].map(([id, inside]) => {
    const [, parentId] = outward(conversation, id);
    const runId = getMessage(conversation, id)?.runId ?? id;
    return {
      id,
      label: getRun(conversation, runId)?.agentId ?? id,
      ...(parentId !== undefined && members.has(parentId) && { parentId }),
      nodeIds: inside.map(node => node.id),
      ...frame(inside),
    };
  });
}

function frame(nodes: readonly DagNode[]): Pick<DagGroup, 'x' | 'y' | 'width' | 'height'> {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of nodes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  const { frame } = size;
  return { x: left - frame, y: top - frame, width: right - left + 2 * frame, height: bottom - top + 2 * frame };
}

/** A message and those it is inside of, from the inside out. */
function* outward(conversation: Conversation, messageId: string): Generator<string> {
  for (let id: string | undefined = messageId; id !== undefined; ) {
    yield id;
    const spawner: string | undefined = getMessage(conversation, id)?.spawnedBy;
    const blockId: string | undefined = spawner === undefined ? undefined : getChunk(conversation, spawner)?.blockId;
    id = blockId === undefined ? undefined : getBlock(conversation, blockId)?.messageId;
  }
}
