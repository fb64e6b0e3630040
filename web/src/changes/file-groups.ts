import type { FileChange } from '../../../src/projections/activity/diff-changes.ts';
import { listFileChanges } from '../../../src/projections/activity/file-changes.ts';
import type { ToolPart, ViewNode, ViewPart } from '../../../src/projections/reading/view-node.ts';

/** The recorded changes of one file, in the order in which they were made. */
export interface FileGroup {
  readonly path: string;
  readonly changes: readonly FileChange[];
}

/** Returns the files that calls of these messages changed, subagents included; calls that failed changed nothing. */
export function fileGroups(nodes: Iterable<ViewNode>): readonly FileGroup[] {
  const groups = new Map<string, FileChange[]>();
  const visit = (part: ViewPart) => {
    if (part.kind === 'tool') for (const change of getChanges(part)) add(change);
    if ('runs' in part) for (const run of part.runs) for (const each of run.partList) visit(each);
  };
  const add = (change: FileChange) => {
    const path = change.moveTo ?? change.path;
    const before = groups.get(path);
    if (before === undefined) groups.set(path, [change]);
    else before.push(change);
  };
  for (const { partList } of nodes) for (const part of partList) visit(part);
  return [...groups].map(([path, changes]) => ({ path, changes }));
}

const known = new WeakMap<ToolPart, readonly FileChange[]>();

function getChanges(tool: ToolPart): readonly FileChange[] {
  if (tool.status !== 'done') return [];
  const before = known.get(tool);
  if (before !== undefined) return before;
  const changes = listFileChanges(tool);
  known.set(tool, changes);
  return changes;
}

/** Whether the files of a turn can be restored: the agent recorded their earlier contents. */
export function hasCheckpoint({ partList }: ViewNode): boolean {
  const isCheckpoint = (part: ViewPart) =>
    part.kind === 'fact' && part.event.type === 'custom' && part.event.name === 'checkpoint' ? true : undefined;
  return partList.findLast(isCheckpoint) === true;
}
