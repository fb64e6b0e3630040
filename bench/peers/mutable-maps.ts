import type { EventOf } from 'singletree/events';
import type { Node } from 'singletree/graph';
import type { ConversationEvent } from '../conversation.ts';
import { isFragment, nodeOf } from './node-of.ts';

/** What a growing text does to its node: a new node takes its place, or the node that was handed out changes. */
export type Growing = 'replaced' | 'mutated';

/** The plainest fold there is: Maps changed in place. No older graph survives. */
export class MutableMaps {
  readonly nodes = new Map<string, Node>();
  readonly edges = new Map<string, string[]>();
  readonly lastNodeByRunId = new Map<string, string>();
  readonly usages = new Map<string, number>();
  readonly #growing: Growing;

  constructor(growing: Growing) {
    this.#growing = growing;
  }

  reduce(event: ConversationEvent): void {
    if (isFragment(event) && this.#grow(event)) return;
    const node = nodeOf(event, event.type === 'usage' ? this.#countUsage(event.runId) : 0);
    if (node === undefined) return;
    const previous = this.lastNodeByRunId.get(event.runId) ?? event.parentId;
    if (previous !== undefined) this.#edge(previous, node.id);
    this.nodes.set(node.id, node);
    this.lastNodeByRunId.set(event.runId, node.id);
  }

  #grow(event: EventOf<'text' | 'reasoning'>): boolean {
    const node = this.nodes.get(event.id);
    if (node === undefined || node.kind !== event.type) return false;
    if (this.#growing === 'mutated') (node as { content: string }).content += event.content;
    else this.nodes.set(node.id, { ...node, content: node.content + event.content });
    return true;
  }

  #edge(from: string, to: string): void {
    const children = this.edges.get(from);
    if (children === undefined) this.edges.set(from, [to]);
    else children.push(to);
  }

  #countUsage(runId: string): number {
    const count = (this.usages.get(runId) ?? 0) + 1;
    this.usages.set(runId, count);
    return count;
  }
}
