import type { AgentEvent, EventOf } from '../events/index.ts';
import type { Layer } from './layer.ts';
import type { Node, RelayResolution } from './node.ts';
import { type Fragment, GrowingSlot, WholeSlot } from './slot.ts';
import { applyEvent } from './reducers.ts';
import type { Snapshot } from './snapshot.ts';

/** Adds one event at a time to a layer. Nothing of it is visible to older snapshots. */
export class Step {
  readonly #layer: Layer;
  #from!: Snapshot;
  #event!: AgentEvent;
  #changed = false;

  constructor(layer: Layer) {
    this.#layer = layer;
  }

  /** Adds the event as the layer's next version; tells whether that made a difference. A logged one always does. */
  take(from: Snapshot, event: AgentEvent, logged: boolean): boolean {
    this.#from = from;
    this.#event = event;
    this.#changed = logged;
    this.#layer.head++;
    applyEvent(event, this);
    if (!this.#changed) this.#layer.head--;
    return this.#changed;
  }

  /** Appends to the newest node of this name in this run when it is of the same kind, else makes a new one. */
  grow(name: string, kind: Fragment['kind'], stream: Fragment['stream'], content: string): void {
    this.#changed = true;
    const { runId } = this.#event;
    const { head, slots, growth } = this.#layer;
    const first = slots.get(name) ?? this.#from.slot(name);
    const id = first?.reclaimed ? (this.#from.last('claims', claimKey(runId, name)) ?? name) : name;
    const slot = id === name ? first : this.#from.slot(id);
    if (!(slot instanceof GrowingSlot) || slot.runId !== runId || slot.kind !== kind || slot.stream !== stream) {
      const fresh = this.claim(name);
      slots.set(fresh, new GrowingSlot(head, { id: fresh, runId }, { kind, stream, content }, growth));
      this.#link(fresh);
    } else if (slot.growth === growth) slot.append(head, content);
    else {
      const text = this.#textInBase(id) + content;
      slots.set(id, new GrowingSlot(head, { id, runId }, { kind, stream, content: text }, growth, true));
    }
  }

  /** Adds a new node. */
  put(node: Node): void {
    this.#changed = true;
    this.#layer.slots.set(node.id, new WholeSlot(this.#layer.head, node));
    this.#link(node.id);
  }

  /** The id for a new node: its name, or the name with the first free number when it is taken. */
  claim(name: string): string {
    const taken = this.#from.slot(name);
    if (taken === undefined) return name;
    taken.reclaimed = true;
    let number = this.#from.count('claims', name) + 2;
    while (this.#from.slot(`${name}#${number}`) !== undefined) number++;
    const id = `${name}#${number}`;
    this.#layer.record('claims', name, id);
    this.#layer.record('claims', claimKey(this.#event.runId, name), id);
    return id;
  }

  /** The id for a node that is always numbered, from 1. */
  number(name: string): string {
    let number = this.#from.count('claims', name) + 1;
    while (this.#from.slot(`${name}:${number}`) !== undefined) number++;
    const id = `${name}:${number}`;
    this.#layer.record('claims', name, id);
    return id;
  }

  /** Writes the answer onto the relay's node; the first answer counts. */
  resolve(event: EventOf<'relay_resolved'>): void {
    const node = this.#from.node(event.relayId);
    if (node?.kind !== 'relay' || node.resolution !== undefined) return;
    this.#changed = true;
    const { head, slots } = this.#layer;
    let slot = slots.get(event.relayId);
    if (!(slot instanceof WholeSlot)) slots.set(event.relayId, (slot = new WholeSlot(head, node, true)));
    (slot as WholeSlot).replace(head, { ...node, resolution: resolutionOf(event) });
  }

  #textInBase(id: string): string {
    for (let at: Snapshot | undefined = this.#from; at !== undefined; at = at.layer.base) {
      const slot = at.layer.slots.get(id);
      if (slot instanceof GrowingSlot && slot.born <= at.version) return slot.textAt(at.version);
    }
    return '';
  }

  /** Draws the edges of a new node: from the node before it in its run, or from what caused the run. */
  #link(id: string): void {
    const { runId, parentId } = this.#event;
    this.#layer.added.nodes.push(this.#layer.head);
    const previous = this.#layer.record('runs', runId, id);
    if (previous !== undefined) this.#edge(previous, id);
    else {
      this.#layer.added.runs.push(this.#layer.head);
      if (parentId !== undefined) this.#cause(parentId, id, runId);
    }
    for (const child of this.#from.all('waiting', id)) this.#adopt(id, child);
  }

  #cause(parentId: string, id: string, runId: string): void {
    if (this.#from.slot(parentId) === undefined) this.#layer.record('waiting', parentId, id);
    else {
      this.#edge(parentId, id);
      this.#layer.record('causes', runId, parentId);
    }
  }

  /** Draws the edge a child waited for, unless its parent descends from it. */
  #adopt(parentId: string, child: string): void {
    const childRun = this.#from.slot(child)?.runId as string;
    for (let run: string | undefined = this.#event.runId; run !== undefined; run = this.#runThatCaused(run))
      if (run === childRun) return;
    this.#edge(parentId, child);
    this.#layer.record('causes', childRun, parentId);
  }

  #runThatCaused(runId: string): string | undefined {
    const cause = this.#layer.causes.get(runId)?.lastAt(this.#layer.head) ?? this.#from.last('causes', runId);
    if (cause === undefined) return undefined;
    return this.#from.slot(cause)?.runId ?? this.#event.runId;
  }

  #edge(from: string, to: string): void {
    const previous = this.#layer.record('children', from, to);
    if (previous === undefined) this.#layer.added.parents.push(this.#layer.head);
  }
}

function claimKey(runId: string, name: string): string {
  return `${runId}\u0000${name}`;
}

function resolutionOf({ outcome, feedback, input, answer, remember, by }: EventOf<'relay_resolved'>): RelayResolution {
  return {
    outcome,
    ...(feedback !== undefined && { feedback }),
    ...(input !== undefined && { input }),
    ...(answer !== undefined && { answer }),
    ...(remember !== undefined && { remember }),
    ...(by !== undefined && { by }),
  };
}
