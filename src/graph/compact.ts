import { Layer, timelineNames } from './layer.ts';
import type { Node } from './node.ts';
import { GrowingSlot, type Slot, WholeSlot } from './slot.ts';
import { Snapshot } from './snapshot.ts';

/** Returns the same snapshot in a layer of its own, in time proportional to its size. */
export function compact(snapshot: Snapshot): Snapshot {
  const layer = new Layer(undefined);
  for (const id of snapshot.nodeIds()) {
    const node = snapshot.node(id);
    if (node === undefined) continue;
    layer.slots.set(id, slotOf(node, layer));
  }
  for (const name of timelineNames)
    for (const key of snapshot.keys(name)) for (const value of snapshot.all(name, key)) layer.record(name, key, value);
  for (const of of ['nodes', 'parents', 'runs'] as const) layer.added[of] = Array<number>(snapshot.size(of)).fill(0);
  return new Snapshot(layer, 0, snapshot.seq);
}

function slotOf(node: Node, layer: Layer): Slot {
  if (node.kind === 'repl_progress') {
    const { kind, stream, chunk } = node;
    return new GrowingSlot(0, node, { kind, stream, content: chunk }, layer.growth);
  }
  if (node.kind !== 'text' && node.kind !== 'reasoning') return new WholeSlot(0, node);
  return new GrowingSlot(0, node, { kind: node.kind, stream: undefined, content: node.content }, layer.growth);
}
