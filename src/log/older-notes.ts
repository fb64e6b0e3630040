import { defined } from '../base/defined.ts';
import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import { newId } from '../events/ids.ts';
import { parseEvent } from '../events/parse.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { OpenThing } from './open-things.ts';

/** The prefixes of the metadata keys in which older versions recorded the open things of a thread. */
export const olderPrefixes = ['run:', 'relay:', 'follow-up:'] as const;

/** The open things recorded in the metadata notes of an older version. */
export interface OlderNotes {
  readonly runs: readonly (EventOf<'run_requested'> & { readonly owner: string | undefined })[];
  readonly relays: readonly Pick<OpenThing, 'id' | 'runId'>[];
  readonly messages: readonly EventOf<'message_queued'>[];
}

/**
 * Returns what notes in metadata say, runs and messages as the events that say it today. A note that is not readable is
 * left out, as it was before. Messages name `lastAgent` when neither they nor the run they wait for name one.
 */
export function readOlderNotes(metadata: Readonly<Record<string, unknown>>, lastAgent = 'unknown'): OlderNotes {
  const notes = (prefix: (typeof olderPrefixes)[number]) =>
    Object.entries(metadata).flatMap(([key, value]) =>
      key.startsWith(prefix) && typeof value === 'object' && value !== null
        ? [{ id: key.slice(prefix.length), note: value as Record<string, unknown> }]
        : [],
    );
  const runs = notes('run:').flatMap(({ note: { owner, ...request } }) => {
    const event = eventIn({ ...request, type: 'run_requested' });
    return event === undefined ? [] : [{ ...event, owner: typeof owner === 'string' ? owner : undefined }];
  });
  const messages = notes('follow-up:')
    .toSorted((a, b) => (String(a.note['order']) < String(b.note['order']) ? -1 : 1))
    .flatMap(({ id, note: { content, by, agent, model, mode, delivery, waitsFor } }, order) => {
      const named = agent ?? runs.find(({ runId }) => runId === waitsFor)?.agentId ?? lastAgent;
      const how = delivery === 'follow_up' ? 'follow_up' : 'steer';
      const own = { id, content, delivery: how, agent: named, order, ...defined({ by, model, mode, waitsFor }) };
      return eventIn({ ...own, type: 'message_queued', runId: newId() }) ?? [];
    });
  const relays = notes('relay:').map(({ id, note: { runId } }) => ({
    id,
    ...(typeof runId === 'string' && { runId }),
  }));
  return { runs, relays, messages };
}

/** The event, when it is a valid one. */
function eventIn<Type extends AgentEvent['type']>(
  value: { readonly type: Type } & Readonly<Record<string, unknown>>,
): EventOf<Type> | undefined {
  try {
    return parseEvent(value) as EventOf<Type>;
  } catch (error) {
    if (SingletreeError.is(error, 'invalid_event')) return undefined;
    throw error;
  }
}
