import * as z from 'zod';
import { optionsCheck } from '../base/options/check-options.ts';
import type { Active } from '../graph/conversation/active.ts';
import type { Conversation } from '../graph/conversation/conversation.ts';
import { getBlock, getChunk, getMessage } from '../graph/conversation/queries.ts';
import { conversationFold, type Fold } from './fold.ts';
import type { DagTier } from './thread-graph/graph-item.ts';
import { type GraphGroup, graphNodeSize, projectThreadGraph } from './thread-graph/thread-graph.ts';

export interface DagNode {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly messageId: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DagEdge {
  readonly from: string;
  readonly to: string;
  /** `next` within a message, `reply` to the next message, `spawn` into a subagent, `return` from it. */
  readonly kind: 'next' | 'reply' | 'spawn' | 'return';
}

export interface Dag {
  readonly nodes: readonly DagNode[];
  readonly edges: readonly DagEdge[];
  /** The frames around subagents: the id of each is that of its message. */
  readonly groups: readonly GraphGroup[];
}

export interface DagOptions {
  /** The kind of parts that become nodes; `chunk` when absent. */
  readonly by?: DagTier;
}

const checkOptions = optionsCheck<DagOptions>('projectDAG')(() => ({
  by: z.enum(['chunk', 'block', 'message'] satisfies DagTier[]).optional(),
}));

/**
 * Returns the drawing of one branch with every part as a node: `projectThreadGraph` with ids in its edges. Each node is
 * below its predecessors, and no nodes overlap. Takes linear time.
 */
export function projectDAG(conversation: Conversation, active: Active, options: DagOptions = {}): Dag {
  checkOptions(options);
  const { by = 'chunk' } = options;
  const graph = projectThreadGraph(conversation, { by, isFolded: false, expanded: new Set() }, active);
  const nodes = graph.nodes.map(({ id, kind, label, detail, x, y }) => {
    const messageId = findMessageId(conversation, by, id);
    return { id, kind, label: label || detail || kind, messageId, x, y, ...graphNodeSize };
  });
  const edges = graph.edges.flatMap(({ from, to }) => {
    const [above, below] = [nodes[from], nodes[to]];
    if (above === undefined || below === undefined) return [];
    return [{ from: above.id, to: below.id, kind: kindBetween(conversation, above.messageId, below.messageId) }];
  });
  return { nodes, edges, groups: graph.groups };
}

/** The drawing of the active branch as a fold; an event is added in constant time. */
export function dagFold(options: DagOptions = {}): Fold<Conversation, Dag> {
  checkOptions(options);
  return conversationFold((conversation, active) => projectDAG(conversation, active, options));
}

function findMessageId(conversation: Conversation, tier: DagTier, id: string): string {
  if (tier === 'message') return id;
  const blockId = tier === 'block' ? id : getChunk(conversation, id)?.blockId;
  return (blockId === undefined ? undefined : getBlock(conversation, blockId)?.messageId) ?? id;
}

function kindBetween(conversation: Conversation, above: string, below: string): DagEdge['kind'] {
  if (above === below) return 'next';
  const deeper = countSpawners(conversation, below) - countSpawners(conversation, above);
  return deeper > 0 ? 'spawn' : deeper < 0 ? 'return' : 'reply';
}

/** Returns how many subagents a message is inside of. */
function countSpawners(conversation: Conversation, messageId: string): number {
  let count = 0;
  for (let spawner = getMessage(conversation, messageId)?.spawnedBy; spawner !== undefined; count++) {
    const message = findMessageId(conversation, 'chunk', spawner);
    spawner = getMessage(conversation, message)?.spawnedBy;
  }
  return count;
}
