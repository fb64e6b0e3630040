import type { AgentEvent, EventOf } from '../events/index.ts';
import { type GrowingNode, isGrowing, isSameStream } from './growing-node.ts';
import type { Node, RelayResolution } from './node.ts';
import { all, type GraphDraft } from './tables.ts';
import type { GrowingText } from './versioned/index.ts';

/** The stream that grew in the previous step; while it keeps growing, its text is looked up once. */
interface Growing {
  readonly name: string;
  readonly node: GrowingNode;
  readonly text: GrowingText;
  version: number;
}

/** Appends to the newest node of this name in this run when the kind matches, else creates one; the id is its name. */
export function grow(draft: GraphDraft, event: AgentEvent, node: GrowingNode, fragment: string): void {
  const before = draft.hint as Growing | undefined;
  const { id: name } = node;
  if (before?.version === draft.version - 1 && before.name === name && isSameStream(before.node, node)) {
    before.version = draft.version;
    return draft.growAt(before.text, fragment);
  }
  const newest = newestNamed(draft, name, node.runId);
  const goesOn = newest !== undefined && isGrowing(newest) && isSameStream(newest, node);
  const grown = goesOn ? newest : { ...node, id: claim(draft, name, node.runId) };
  if (!goesOn) put(draft, event, grown);
  draft.grow(grown.id, fragment);
  const text = draft.text(grown.id);
  if (text !== undefined) draft.hint = { name, node: grown, text, version: draft.version } satisfies Growing;
}

/** Returns the newest node that the run made from a name, or the first of that name. */
function newestNamed(draft: GraphDraft, name: string, runId: string): Node | undefined {
  const isReclaimed = draft.count('claims', name) > 0;
  return draft.last('node', (isReclaimed && draft.last('claims', claimKey(runId, name))) || name);
}

/** Adds a new node and its edges: from the previous node of its run, or from the cause of the run. */
export function put(draft: GraphDraft, { parentId }: AgentEvent, node: Node): void {
  const { id, runId } = node;
  const previous = draft.last('inRun', runId);
  draft.add('inRun', runId, id);
  if (previous !== undefined) addEdge(draft, previous, id);
  else {
    draft.add('runs', all, runId);
    if (parentId !== undefined) addCause(draft, parentId, node);
  }
  draft.add('node', id, node);
  draft.add('nodes', all, id);
  for (const child of draft.all('waiting', id)) adopt(draft, node, child);
}

/** Returns the id of a new node: its name, or the name with the first free number when it is taken. */
export function claim(draft: GraphDraft, name: string, runId: string): string {
  if (draft.last('node', name) === undefined) return name;
  let number = draft.count('claims', name) + 2;
  while (draft.last('node', `${name}#${number}`) !== undefined) number++;
  const id = `${name}#${number}`;
  draft.add('claims', name, id);
  draft.add('claims', claimKey(runId, name), id);
  return id;
}

/** Returns the id of a node that is always numbered, from 1. */
export function claimNumber(draft: GraphDraft, name: string): string {
  let number = draft.count('claims', name) + 1;
  while (draft.last('node', `${name}:${number}`) !== undefined) number++;
  const id = `${name}:${number}`;
  draft.add('claims', name, id);
  return id;
}

/** Adds the answer to the relay's node; the first answer counts. */
export function resolve(draft: GraphDraft, event: EventOf<'relay_resolved'>): void {
  const node = draft.last('node', event.relayId);
  if (node?.kind !== 'relay' || node.resolution !== undefined) return;
  draft.add('node', node.id, { ...node, resolution: resolutionOf(event) });
}

function addCause(draft: GraphDraft, parentId: string, { id, runId }: Node): void {
  if (draft.last('node', parentId) === undefined) draft.add('waiting', parentId, id);
  else {
    addEdge(draft, parentId, id);
    draft.add('causes', runId, parentId);
  }
}

/** Adds the edge that a child waited for, unless its parent descends from it. */
function adopt(draft: GraphDraft, parent: Node, childId: string): void {
  const childRun = draft.last('node', childId)?.runId as string;
  for (let runId: string | undefined = parent.runId; runId !== undefined; runId = causingRun(draft, runId))
    if (runId === childRun) return;
  addEdge(draft, parent.id, childId);
  draft.add('causes', childRun, parent.id);
}

/** Returns the run of the node that caused a run. */
function causingRun(draft: GraphDraft, runId: string): string | undefined {
  const cause = draft.last('causes', runId);
  return cause === undefined ? undefined : draft.last('node', cause)?.runId;
}

function addEdge(draft: GraphDraft, from: string, to: string): void {
  if (draft.last('children', from) === undefined) draft.add('parents', all, from);
  draft.add('children', from, to);
}

function claimKey(runId: string, name: string): string {
  return `${runId}\u0000${name}`;
}

function resolutionOf({ outcome, feedback, input, answer, remember, by }: EventOf<'relay_resolved'>): RelayResolution {
  return {
    outcome,
    ...(feedback !== undefined && { feedback }),
    ...(input !== undefined && { input }),
    ...(answer !== undefined && { answer }),
    ...(remember !== undefined && { remember }),
    ...(by !== undefined && { by }),
  };
}
