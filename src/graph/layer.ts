import { Growth } from './growth.ts';
import type { Slot } from './slot.ts';
import type { Snapshot } from './snapshot.ts';
import { Step } from './step.ts';
import { Timeline } from './timeline.ts';

export const timelineNames = ['children', 'runs', 'causes', 'claims', 'waiting'] as const;
export type TimelineName = (typeof timelineNames)[number];

/**
 * The storage that successive graphs share. It only grows, and every entry carries the version that added it, so a
 * snapshot of an older version reads the state of that version. Reducing a snapshot that is not the newest starts a new
 * layer on top of it.
 */
export class Layer {
  /** The newest version in this layer. */
  head = 0;
  readonly base: Snapshot | undefined;
  readonly depth: number;
  readonly slots = new Map<string, Slot>();
  readonly growth = new Growth();
  /** Node id to the ids of its children. */
  readonly children = new Map<string, Timeline<string>>();
  /** Run id to the ids of its nodes. */
  readonly runs = new Map<string, Timeline<string>>();
  /** Run id to the node that caused it, once the edge exists. */
  readonly causes = new Map<string, Timeline<string>>();
  /** A node name, or a run and a name, to the ids that were made from it after the first. */
  readonly claims = new Map<string, Timeline<string>>();
  /** An unknown node id to the nodes that wait for it as their parent. */
  readonly waiting = new Map<string, Timeline<string>>();
  /** The versions at which a node, a node's first child and a run's first node were added. */
  added: Record<'nodes' | 'parents' | 'runs', number[]> = { nodes: [], parents: [], runs: [] };
  /** Applies the next event. */
  readonly step: Step;
  /** The last step: requesting it again returns the same snapshot and starts no new layer. */
  lastEvent: object | undefined;
  lastFrom = -1;
  lastNext: Snapshot | undefined;

  constructor(base: Snapshot | undefined) {
    this.base = base;
    this.step = new Step(this);
    this.depth = base === undefined ? 0 : base.layer.depth + 1;
  }

  /** Adds an entry to a key, at the newest version; returns the previous entry. */
  record(name: TimelineName, key: string, value: string): string | undefined {
    const timelines = this[name];
    const timeline = timelines.get(key);
    if (timeline !== undefined) return timeline.push(this.head, value);
    timelines.set(key, new Timeline(this.head, value));
    return this.base?.last(name, key);
  }
}
