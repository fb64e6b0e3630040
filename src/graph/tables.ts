import type { Node } from './node.ts';
import type { Draft } from './versioned/store.ts';

/** The tables of the flat graph: each maps a key to a list, whose newest value is the current one. */
export interface GraphTables {
  /** Node id to its node; a growing node has its text in the store's texts. */
  node: Node;
  /** `all` to the ids of all nodes, of the nodes with children and of all runs, in order of creation. */
  nodes: string;
  parents: string;
  runs: string;
  /** Node id to the ids of its children. */
  children: string;
  /** Run id to the ids of its nodes. */
  inRun: string;
  /** Run id to the node that caused it, once the edge exists. */
  causes: string;
  /** A node name, or a run and a name, to the ids that were made from it after the first. */
  claims: string;
  /** An unknown node id to the nodes that wait for it as their parent. */
  waiting: string;
}

export type GraphDraft = Draft<GraphTables>;

/** The key of the only list of a table. */
export const all = '';
