import type { Dag, DagEdge, DagGroup, DagNode } from '../../../src/projections/project-dag.ts';

/** The vertical range of a drawing that is visible. */
export interface Span {
  readonly top: number;
  readonly bottom: number;
}

export interface DrawnEdge extends DagEdge {
  readonly start: DagNode;
  readonly end: DagNode;
}

export interface Drawn {
  readonly nodes: readonly DagNode[];
  readonly edges: readonly DrawnEdge[];
  readonly groups: readonly DagGroup[];
}

const wholeUpTo = 500;

/** Returns the nodes to draw: all when there are few, otherwise the visible ones. */
export function drawnOf({ nodes, edges, groups }: Dag, seen: Span): Drawn {
  const byId = new Map(nodes.map(node => [node.id, node]));
  const joined = edges.flatMap(edge => {
    const start = byId.get(edge.from);
    const end = byId.get(edge.to);
    return start && end ? [{ ...edge, start, end }] : [];
  });
  if (nodes.length <= wholeUpTo) return { nodes, edges: joined, groups };
  const isSeen = (top: number, bottom: number) => top <= seen.bottom && bottom >= seen.top;
  return {
    nodes: nodes.filter(({ y, height }) => isSeen(y, y + height)),
    edges: joined.filter(({ start, end }) => isSeen(start.y, end.y)),
    groups: groups.filter(({ y, height }) => isSeen(y, y + height)),
  };
}

/** Returns the extent of a drawing. */
export function extentOf({ nodes, groups }: Dag): { width: number; height: number } {
  let [width, height] = [0, 0];
  for (const box of [...nodes, ...groups]) {
    width = Math.max(width, box.x + box.width);
    height = Math.max(height, box.y + box.height);
  }
  return { width, height };
}
