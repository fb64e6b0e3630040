import type { Call } from './block-messages.ts';
import type { Message } from '../message.ts';

const maxLength = 64;

interface AssignedId {
  readonly call: Call;
  readonly providerId: string;
  /** Whether it was the first call of its event id. */
  readonly isFirst: boolean;
  readonly raw: string;
  /** The number to try first for the same id before this call. */
  readonly nextBefore: number | undefined;
}

/**
 * Gives tool calls the ids a provider is sent, in the order of the calls: the model's own id, cut to what every provider
 * accepts, with a number when it is taken. The ids in a history are taken.
 */
export class ProviderCallIds {
  readonly #history: readonly Message[];
  #taken: Set<string> | undefined;
  readonly #eventIds = new Set<string>();
  readonly #byCall = new Map<string, string>();
  /** The number to try first when an id is taken: the lower ones are taken too. */
  readonly #next = new Map<string, number>();
  readonly #given: AssignedId[] = [];

  constructor(history: readonly Message[] = []) {
    this.#history = history;
  }

  /** Assigns ids to calls; assigns none and returns false when a later call already has its id. */
  give(calls: readonly Call[]): boolean {
    const inOrder = calls.toSorted((a, b) => a.order - b.order);
    const newest = this.#given.at(-1)?.call.order ?? -1;
    if (inOrder[0] !== undefined && inOrder[0].order <= newest) return false;
    for (const call of inOrder) this.#giveOne(call);
    return true;
  }

  /** Takes the ids of calls back; returns false when they are not the newest ones. */
  takeBack(calls: readonly Call[]): boolean {
    const ids = new Set(calls.map(({ id }) => id));
    for (let left = ids.size; left > 0; left--) {
      const newest = this.#given.pop();
      if (newest === undefined || !ids.has(newest.call.id)) return false;
      this.#taken?.delete(newest.providerId);
      if (newest.nextBefore === undefined) this.#next.delete(newest.raw);
      else this.#next.set(newest.raw, newest.nextBefore);
      this.#byCall.delete(newest.call.id);
      if (newest.isFirst) this.#eventIds.delete(newest.call.event.id);
    }
    return true;
  }

  /** The id of a call that was given one. */
  of({ id }: Call): string {
    return this.#byCall.get(id) ?? id;
  }

  #giveOne(call: Call): void {
    const { id, runId, event } = call;
    const isFirst = !this.#eventIds.has(event.id);
    const raw = getRawId(isFirst ? event.id : id, runId).replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'call';
    const taken = (this.#taken ??= idsIn(this.#history));
    const nextBefore = this.#next.get(raw);
    let providerId = raw.slice(0, maxLength);
    let number = nextBefore ?? 2;
    for (; taken.has(providerId); number++) {
      const suffix = `_${number}`;
      providerId = raw.slice(0, maxLength - suffix.length) + suffix;
    }
    this.#next.set(raw, number);
    taken.add(providerId);
    this.#eventIds.add(event.id);
    this.#byCall.set(id, providerId);
    this.#given.push({ call, providerId, isFirst, raw, nextBefore });
  }
}

function idsIn(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages)
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'tool_call') ids.add(part.id);
  return ids;
}

/** Returns the model's id for a call: an event's id is `{runId}/{rawId}`, where `runId` may be that of another run. */
function getRawId(eventId: string, runId: string): string {
  if (eventId.startsWith(`${runId}/`)) return eventId.slice(runId.length + 1);
  return eventId.slice(eventId.lastIndexOf('/') + 1);
}
