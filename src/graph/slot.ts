import type { Growth } from './growth.ts';
import type { Node } from './node.ts';
import { Timeline } from './timeline.ts';

/** The identity of a growing node: pieces of one name join while kind, stream and run are the same. */
export interface Fragment {
  readonly kind: 'text' | 'reasoning' | 'repl_progress';
  readonly stream: 'stdout' | 'stderr' | undefined;
  readonly content: string;
}

/** The storage of one node in a layer: its value at every version. */
export abstract class Slot {
  readonly born: number;
  readonly runId: string;
  /** Whether the node was created in an older layer and this slot continues it. */
  readonly continues: boolean;
  /** Whether another node was created later for the same name; the layer's claims say which. */
  reclaimed = false;

  constructor(born: number, runId: string, continues: boolean) {
    this.born = born;
    this.runId = runId;
    this.continues = continues;
  }

  abstract at(version: number): Node;
}

/** A node that is replaced as a whole: all but the growing ones. */
export class WholeSlot extends Slot {
  readonly #first: Node;
  #later: Timeline<Node> | undefined;

  constructor(born: number, node: Node, continues = false) {
    super(born, node.runId, continues);
    this.#first = node;
  }

  at(version: number): Node {
    return this.#later?.lastAt(version) ?? this.#first;
  }

  replace(version: number, node: Node): void {
    if (this.#later === undefined) this.#later = new Timeline(version, node);
    else this.#later.push(version, node);
  }
}

/** A node with a growing text: it keeps one text, and the layer's growth has the length at each version. */
export class GrowingSlot extends Slot {
  readonly kind: Fragment['kind'];
  readonly stream: Fragment['stream'];
  readonly #id: string;
  /** The growth of its layer. */
  readonly growth: Growth;
  #text: string;
  #newest: number;
  #entry: number;
  #node: Node | undefined;

  constructor(
    born: number,
    { id, runId }: { id: string; runId: string },
    fragment: Fragment,
    growth: Growth,
    continues = false,
  ) {
    super(born, runId, continues);
    this.kind = fragment.kind;
    this.stream = fragment.stream;
    this.#id = id;
    this.growth = growth;
    this.#text = fragment.content;
    this.#newest = born;
    this.#entry = growth.add(born, this.#text.length, -1);
  }

  append(version: number, content: string): void {
    this.#text += content;
    this.#newest = version;
    this.#entry = this.growth.add(version, this.#text.length, this.#entry);
    this.#node = undefined;
  }

  textAt(version: number): string {
    return version >= this.#newest ? this.#text : this.#text.slice(0, this.growth.lengthAt(this.#entry, version));
  }

  at(version: number): Node {
    if (version < this.#newest) return this.#build(this.textAt(version));
    this.#node ??= this.#build(this.#text);
    return this.#node;
  }

  #build(text: string): Node {
    const { kind, runId, stream } = this;
    const id = this.#id;
    if (kind === 'repl_progress') return { id, runId, kind, chunk: text, stream: stream ?? 'stdout' };
    return { id, runId, kind, content: text };
  }
}
