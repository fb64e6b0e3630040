import { defined } from '../../../src/base/defined.ts';
import type { ViewNode, ViewPart } from '../../../src/projections/reading/view-node.ts';
import { shortened } from './shortened.ts';

type RunPart = Extract<ViewPart, { readonly runs: readonly ViewNode[] }>;

/** A part of a message as a worker sends it; the stamp is the same as long as the part is. */
export interface SeenPart {
  readonly stamp: number;
  readonly part: Exclude<ViewPart, RunPart> | Omit<RunPart, 'runs'>;
  readonly runs: readonly SeenNode[];
}

/** The end of a message, as a worker sends it: plain data of a bounded size. */
export interface SeenNode extends Omit<ViewNode, 'text' | 'toolCalls' | 'parts' | 'partList'> {
  readonly seenParts: readonly SeenPart[];
}

const mostParts = 24;
const mostText = 6_000;

/** Makes nodes small and plain; a part that did not change is made only once. */
export class SeenNodes {
  readonly #kept = new WeakMap<ViewPart, { readonly stamp: number; readonly part: SeenPart['part'] }>();
  #stamps = 0;

  of(node: ViewNode): SeenNode {
    // The text and the calls of a node are computed lazily; naming the fields excludes them.
    const { id, role, siblings, collapsed, partList } = node;
    const { runId, agentId, model, status, startedAt, endedAt, memory, answers, covers } = node;
    const shown = partList.slice(Math.max(0, partList.length - mostParts));
    return {
      id,
      role,
      siblings,
      collapsed,
      ...defined({ runId, agentId, model, status, startedAt, endedAt, memory, answers, covers }),
      seenParts: shown.map(part => this.#part(part)),
    };
  }

  #part(part: ViewPart): SeenPart {
    const before = this.#kept.get(part) ?? { stamp: ++this.#stamps, part: smallPart(part) };
    this.#kept.set(part, before);
    return { ...before, runs: 'runs' in part ? part.runs.map(run => this.of(run)) : [] };
  }
}

function smallPart(part: ViewPart): SeenPart['part'] {
  if (part.kind === 'text' || part.kind === 'reasoning') return { ...part, text: tail(part.text) };
  if (part.kind === 'run') return { kind: 'run', id: part.id, ...(part.seq !== undefined && { seq: part.seq }) };
  if ('runs' in part) {
    const { runs: _runs, ...own } = part;
    return shortened(own) as SeenPart['part'];
  }
  return shortened(part) as SeenPart['part'];
}

/** The end of a text: what is written there is what a person looks at. */
function tail(text: string): string {
  return text.length <= mostText ? text : `…${text.slice(-mostText)}`;
}
