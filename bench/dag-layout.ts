import { createConversation, fullHistory, reduceConversation } from 'singletree/graph';
import { type Dag, projectDAG } from 'singletree/projections';
import { conversation } from './conversation.ts';
import { race } from './measure.ts';
import { layoutTime } from './peers/dag-layouts.ts';
import type { Result } from './result.ts';

const nodeCount = 10_000;

/** Laying out a conversation of 10,000 nodes takes a small part of what general layouts take for the same graph. */
export async function* dagLayout(): AsyncGenerator<Result> {
  const events = conversation(100_000);
  const whole = events.reduce(reduceConversation, createConversation());
  const dag = firstNodes(projectDAG(whole, fullHistory(whole)), nodeCount);
  const { ours } = await race({ ours: () => projectDAG(whole, fullHistory(whole)) }, { warmups: 1, rounds: 5 });
  const row = { size: `${dag.nodes.length.toLocaleString('en-US')} nodes`, unit: 'ms', ours, goal: { atMost: 0.1 } };
  yield { ...row, claim: 'drawing: vs dagre', peer: await layoutTime('dagre', dag) };
  // elk is under a licence we do not depend on: whoever wants the row runs `npm install --no-save elkjs@0.12.1` first.
  if (hasElk()) yield { ...row, claim: 'drawing: vs elk, layered', peer: await layoutTime('elk', dag) };
  else console.log('drawing: vs elk is left out: it is not installed (npm install --no-save elkjs@0.12.1)');
}

/** The first nodes of a drawing, and the edges between them; ours lays out at least as many. */
function firstNodes(dag: Dag, count: number): Dag {
  const nodes = dag.nodes.slice(0, count);
  const kept = new Set(nodes.map(({ id }) => id));
  return { nodes, edges: dag.edges.filter(({ from, to }) => kept.has(from) && kept.has(to)), groups: [] };
}

function hasElk(): boolean {
  try {
    import.meta.resolve('elkjs/lib/elk.bundled.js');
    return true;
  } catch {
    return false;
  }
}
