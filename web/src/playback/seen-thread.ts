import { PagedList } from '../../../src/projections/reading/paged-list.ts';
import type { ToolPart, ViewNode, ViewPart } from '../../../src/projections/reading/view-node.ts';
import type { Moment } from '../history/moments.ts';
import type { SeenNode, SeenPart } from '../history/seen-node.ts';

/** The messages of moments as the rows of a conversation take them; parts that did not change stay the same. */
export class SeenThread {
  readonly #parts = new Map<number, ViewPart>();

  /** Returns the messages of a moment; what other moments had is forgotten when it is not in this one. */
  getNodes({ nodes }: Moment): PagedList<ViewNode> {
    const before = new Map(this.#parts);
    this.#parts.clear();
    return PagedList.of(nodes.map(node => this.#node(node, before)));
  }

  #node({ seenParts, ...node }: SeenNode, before: ReadonlyMap<number, ViewPart>): ViewNode {
    const parts = seenParts.map(part => this.#part(part, before));
    const toolCalls = parts.filter((part): part is ToolPart => part.kind === 'tool');
    return { ...node, text: '', toolCalls, parts, partList: PagedList.of(parts) };
  }

  #part({ stamp, part, runs }: SeenPart, before: ReadonlyMap<number, ViewPart>): ViewPart {
    const known = runs.length === 0 ? before.get(stamp) : undefined;
    const isRunning = part.kind === 'tool' || part.kind === 'repl' || part.kind === 'run';
    const made =
      known ?? ((isRunning ? { ...part, runs: runs.map(run => this.#node(run, before)) } : part) as ViewPart);
    this.#parts.set(stamp, made);
    return made;
  }
}
