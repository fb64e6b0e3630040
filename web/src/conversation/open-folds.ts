import type { PagedList } from '../../../src/projections/reading/paged-list.ts';
import type { ViewNode, ViewPart } from '../../../src/projections/reading/view-node.ts';
import type { Folds } from './folds.ts';
import { answerPlace } from './work.ts';

/** Expands everything collapsed around an event. Returns whether anything was collapsed. */
export function openFoldsAt(nodes: PagedList<ViewNode>, seq: number, folds: Folds): boolean {
  const version = folds.version;
  for (const node of nodes) if (isIn(node.partList, seq)) openIn(node, seq, folds);
  return folds.version !== version;
}

function openIn(node: ViewNode, seq: number, folds: Folds): void {
  if (node.role === 'assistant') {
    if (!folds.isOpen(node.id, false)) folds.set(node.id, true);
    const answer = node.partList.at(answerPlace(node))?.seq ?? Number.POSITIVE_INFINITY;
    if (seq < answer && !folds.isOpen(`work of ${node.id}`, false)) folds.set(`work of ${node.id}`, true);
  }
  for (const part of node.partList)
    for (const run of listRuns(part)) if (isIn(run.partList, seq)) openIn(run, seq, folds);
}

/** Whether an event is between the first part and the last, or in a run of one of them. */
function isIn(parts: PagedList<ViewPart>, seq: number): boolean {
  const first = parts.at(0)?.seq ?? Number.POSITIVE_INFINITY;
  return first <= seq && seq <= lastSeq(parts);
}

function lastSeq(parts: PagedList<ViewPart>): number {
  const last = parts.at(-1);
  if (last === undefined) return 0;
  return Math.max(last.seq ?? 0, ...listRuns(last).map(run => lastSeq(run.partList)));
}

function listRuns(part: ViewPart): readonly ViewNode[] {
  return part.kind === 'tool' || part.kind === 'repl' || part.kind === 'run' ? part.runs : [];
}
