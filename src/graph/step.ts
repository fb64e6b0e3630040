import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import { emptyNode, type GrowingNode, isStream, type Stream } from './growing-node.ts';
import type { Node, RelayResolution } from './node.ts';
import { all, type GraphDraft } from './tables.ts';
import type { GrowingText } from './versioned/growing-text.ts';

/** A name and the text of the node that grows under it. */
type Growing = Map<string, { readonly node: GrowingNode; readonly text: GrowingText }>;

/** The limit of growing nodes that are remembered. */
const mostGrowing = 64;

/** Appends to the newest node of this name in this run when the kind matches, else creates one. */
export function grow(draft: GraphDraft, event: AgentEvent, name: string, stream: Stream, fragment: string): void {
  const growing = (draft.hint ??= new Map()) as Growing;
  const known = growing.get(name);
  if (known !== undefined && isStream(known.node, event.runId, stream)) return draft.growAt(known.text, fragment);
  const newest = newestNamed(draft, name, event.runId);
  const goesOn = newest !== undefined && isStream(newest, event.runId, stream);
  const id = newest === undefined ? name : goesOn ? newest.id : claim(draft, name, event.runId);
  const node = goesOn ? newest : emptyNode(id, event.runId, stream);
  if (!goesOn) put(draft, event, node);
  draft.grow(node.id, fragment, node);
  if (growing.size >= mostGrowing) growing.clear();
  growing.set(name, { node, text: draft.text(node.id) as GrowingText });
}

/** Returns the newest node that the run made from a name, or the first of that name. */
function newestNamed(draft: GraphDraft, name: string, runId: string): Node | undefined {
  const first = draft.last('node', name);
  if (first === undefined || draft.last('claims', name) === undefined) return first;
  const own = draft.last('claims', claimKey(runId, name));
  return own === undefined ? first : draft.last('node', own);
}

/** Adds a new node and its edges: from the previous node of its run, or from the cause of the run. */
export function put(draft: GraphDraft, { parentId }: AgentEvent, node: Node): void {
  const { id, runId } = node;
  const previous = draft.add('inRun', runId, id);
  if (previous !== undefined) addEdge(draft, previous, id);
  else {
    draft.add('runs', all, runId);
    if (parentId !== undefined) addCause(draft, parentId, node);
  }
  draft.add('node', id, node);
  draft.add('nodes', all, id);
  if (draft.last('waiting', id) !== undefined) for (const child of draft.all('waiting', id)) adopt(draft, node, child);
}

/** Returns the id of a new node: its name, or the name with the first free number when it is taken. */
export function claim(draft: GraphDraft, name: string, runId: string): string {
  if (draft.last('node', name) === undefined) return name;
  let number = draft.count('claims', name) + 2;
  while (draft.last('node', `${name}#${number}`) !== undefined) number++;
  const id = `${name}#${number}`;
  (draft.hint as Growing | undefined)?.delete(name);
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
  draft.add('node', node.id, { ...node, resolution: toResolution(event) });
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
  if (draft.add('children', from, to) === undefined) draft.add('parents', all, from);
}

function claimKey(runId: string, name: string): string {
  return `${runId}\u0000${name}`;
}

function toResolution({ outcome, feedback, input, answer, remember, by }: EventOf<'relay_resolved'>): RelayResolution {
  return {
    outcome,
    ...(feedback !== undefined && { feedback }),
    ...(input !== undefined && { input }),
    ...(answer !== undefined && { answer }),
    ...(remember !== undefined && { remember }),
    ...(by !== undefined && { by }),
  };
}
