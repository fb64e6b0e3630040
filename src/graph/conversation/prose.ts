import type { EventOf } from '../../events/vocabulary.ts';
import type { GrowingText } from '../versioned/growing-text.ts';
import type { Timeline } from '../versioned/timeline.ts';
import { contentBlock, growChunk } from './blocks.ts';
import { ensureRun } from './runs.ts';
import type { ConversationDraft } from './tables.ts';

type Prose = EventOf<'text'> | EventOf<'reasoning'>;

/** The text stream that grew in a step; while it keeps growing, its locations are looked up once. */
interface Growing {
  readonly runId: string;
  readonly id: string;
  readonly type: Prose['type'];
  version: number;
  locations: Locations | undefined;
}

interface Locations {
  readonly text: GrowingText;
  /** The changes of its chunk, its block and its message. */
  readonly changes: readonly Timeline<number>[];
}

/** Adds a fragment to a stream, by far the most frequent event. */
export function addProse(event: Prose, draft: ConversationDraft): void {
  const before = draft.hint as Growing | undefined;
  const goesOn = before !== undefined && before.version === draft.version - 1 && isSame(before, event);
  if (goesOn && before.locations !== undefined) growOn(draft, before.locations, event.content);
  else {
    const { messageId } = ensureRun(draft, event);
    const block = contentBlock(draft, messageId);
    const { id, type } = event;
    const chunkId = growChunk(draft, block, { name: id, kind: type, event, stream: id, fragment: event.content });
    if (goesOn) before.locations = listLocations(draft, { chunkId, blockId: block.id, messageId });
    else draft.hint = { runId: event.runId, id, type, version: 0, locations: undefined } satisfies Growing;
  }
  (draft.hint as Growing).version = draft.version;
}

function isSame({ runId, id, type }: Growing, event: Prose): boolean {
  if (event.providerMetadata !== undefined) return false;
  return runId === event.runId && id === event.id && type === event.type;
}

function growOn(draft: ConversationDraft, { text, changes }: Locations, fragment: string): void {
  draft.growAt(text, fragment);
  for (const list of changes) draft.addTo(list, draft.version);
}

/** None in a run that a call started: there a change also changes the call. */
function listLocations(
  draft: ConversationDraft,
  { chunkId, blockId, messageId }: { chunkId: string; blockId: string; messageId: string },
): Locations | undefined {
  const text = draft.text(chunkId);
  const changes = [
    draft.list('chunkChanged', chunkId),
    draft.list('blockChanged', blockId),
    draft.list('changed', messageId),
  ].filter(list => list !== undefined);
  const isSpawned = draft.last('message', messageId)?.spawnedBy !== undefined;
  return text === undefined || changes.length < 3 || isSpawned ? undefined : { text, changes };
}
