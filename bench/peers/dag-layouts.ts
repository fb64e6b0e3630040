import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Dag } from 'singletree/projections';

export type LayoutPeer = 'dagre' | 'elk';

/** Both recurse as deep as the graph: with a usual stack they fail on a long conversation. */
const stackSizeMb = 200;

/** The milliseconds that a general layout takes for a drawing, in a thread with room for its recursion. */
export async function layoutTime(peer: LayoutPeer, { nodes, edges }: Dag): Promise<number> {
  const worker = new Worker(new URL('./dag-layout-worker.js', import.meta.url), {
    workerData: { peer, nodes, edges },
    resourceLimits: { stackSizeMb, maxOldGenerationSizeMb: 4096 },
  });
  const [milliseconds] = (await once(worker, 'message')) as [number];
  return milliseconds;
}
