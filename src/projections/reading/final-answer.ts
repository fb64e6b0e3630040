import type { ThreadReading } from './thread-reading.ts';
import type { ViewNode } from './view-node.ts';

/** Returns the answer of a run: the words after its last call that has words after it; empty when it wrote none. */
export function finalAnswer({ nodeList }: ThreadReading, runId: string): string {
  const node: ViewNode | undefined = nodeList.findLast(each => (each.runId === runId ? each : undefined));
  return node === undefined ? '' : answerIn(node);
}

/** Returns the answer in a message of an agent, as `finalAnswer` does. */
export function answerIn({ parts: all }: Pick<ViewNode, 'parts'>): string {
  const parts = all.filter(part => part.kind !== 'fact' && part.kind !== 'reasoning');
  const last = parts.findLastIndex(part => part.kind === 'text' && part.text.trim() !== '');
  const first = parts.slice(0, last + 1).findLastIndex(part => part.kind !== 'text') + 1;
  return parts
    .slice(first, last + 1)
    .map(part => (part.kind === 'text' ? part.text : ''))
    .join('\n\n');
}
