/** The kind of parts that the nodes of a drawing show. */
export type DagTier = 'chunk' | 'block' | 'message';

/** The status of a node of a graph. */
export type GraphStatus = 'running' | 'done' | 'failed' | 'denied' | 'waiting';

/** The content of a node, before layout. */
export interface GraphFace {
  readonly id: string;
  /** The event it begins with; 0 when it has none. */
  readonly seq: number;
  readonly kind: string;
  readonly label: string;
  readonly detail: string;
  readonly status: GraphStatus;
  /** For a node that stands for several: the id that unfolds it, and the number of folded nodes. */
  readonly fold?: { readonly id: string; readonly count: number };
}

/** A part of a message: a node with what it started below it, or parts side by side, or parts in a frame. */
export type GraphItem =
  | { readonly face: GraphFace; readonly below: readonly GraphItem[] }
  | { readonly beside: readonly (readonly GraphItem[])[] }
  | { readonly frame: { readonly id: string; readonly label: string }; readonly items: readonly GraphItem[] };

/** Repeats of this many calls or more are one node. */
const fewestRepeats = 3;

/** Joins calls of the same tool that follow each other and ended well; those in `expanded` stay apart. */
export function foldRepeats(items: readonly GraphItem[], expanded: ReadonlySet<string>): GraphItem[] {
  const folded: GraphItem[] = [];
  for (let at = 0; at < items.length; ) {
    const name = repeatable(items[at]);
    let end = at + 1;
    while (name !== undefined && end < items.length && repeatable(items[end]) === name) end++;
    const run = items.slice(at, end);
    folded.push(...(end - at >= fewestRepeats ? joined(run, expanded) : run));
    at = end;
  }
  return folded;
}

function joined(run: readonly GraphItem[], expanded: ReadonlySet<string>): readonly GraphItem[] {
  const [first] = run;
  if (first === undefined || !('face' in first)) return run;
  const id = `repeat:${first.face.id}`;
  if (expanded.has(id)) return [{ frame: { id, label: `${first.face.label} ×${run.length}` }, items: run }];
  const details = run.flatMap(item => ('face' in item && item.face.detail !== '' ? [item.face.detail] : []));
  const face = { ...first.face, id, detail: details.slice(0, 3).join(', '), fold: { id, count: run.length } };
  return [{ face, below: [] }];
}

function repeatable(item: GraphItem | undefined): string | undefined {
  if (item === undefined || !('face' in item) || item.below.length > 0) return undefined;
  const { kind, label, status } = item.face;
  return kind === 'tool_call' && status === 'done' ? label : undefined;
}
