import { parentPort, workerData } from 'node:worker_threads';
import type { Dag } from 'singletree/projections';
import type { LayoutPeer } from './dag-layouts.ts';

interface DagreGraph {
  setGraph(options: object): void;
  setNode(id: string, size: object): void;
  setEdge(from: string, to: string, label: object, name: string): void;
}

interface Dagre {
  readonly graphlib: { readonly Graph: new (options: object) => DagreGraph };
  readonly layout: (graph: DagreGraph) => void;
}

type Elk = new () => { layout(graph: object): Promise<unknown> };
type Drawing = Pick<Dag, 'nodes' | 'edges'>;

/** Lays out a drawing with dagre, from top to bottom. */
async function withDagre({ nodes, edges }: Drawing): Promise<() => unknown> {
  const { graphlib, layout } = await load<Dagre>('@dagrejs/dagre');
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB' });
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  edges.forEach(({ from, to }, n) => graph.setEdge(from, to, {}, `${n}`));
  return () => layout(graph);
}

/** Lays out a drawing with the layered algorithm of elk. */
async function withElk({ nodes, edges }: Drawing): Promise<() => unknown> {
  const elk = new (await load<Elk>('elkjs/lib/elk.bundled.js'))();
  const graph = {
    id: 'root',
    layoutOptions: { 'elk.algorithm': 'layered', 'elk.direction': 'DOWN' },
    children: nodes.map(({ id, width, height }) => ({ id, width, height })),
    edges: edges.map(({ from, to }, n) => ({ id: `e${n}`, sources: [from], targets: [to] })),
  };
  return () => elk.layout(graph);
}

async function load<Peer>(name: string): Promise<Peer> {
  const module = (await import(name)) as { readonly default?: Peer } & Peer;
  return module.default ?? module;
}

const { peer, ...drawing } = workerData as Drawing & { readonly peer: LayoutPeer };
const layOut = await { dagre: withDagre, elk: withElk }[peer](drawing);
const start = performance.now();
await layOut();
parentPort?.postMessage(performance.now() - start, []);
