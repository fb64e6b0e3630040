const maxLength = 64;

/**
 * Gives tool calls the ids a provider is sent: the raw id, cut to what every provider takes, with a number when it is
 * taken. The same calls in the same order get the same ids.
 */
export class ProviderIds {
  readonly #taken = new Set<string>();
  readonly #byEventId = new Map<string, string>();

  /** Keeps an id from being given. */
  reserve(id: string): void {
    this.#taken.add(id);
  }

  /** The id for a call, always the same for the same call. */
  of({ id: eventId, runId }: { readonly id: string; readonly runId: string }): string {
    const known = this.#byEventId.get(eventId);
    if (known !== undefined) return known;
    const raw = rawIdOf(eventId, runId).replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'call';
    let id = raw.slice(0, maxLength);
    for (let number = 2; this.#taken.has(id); number++) {
      const suffix = `_${number}`;
      id = raw.slice(0, maxLength - suffix.length) + suffix;
    }
    this.#taken.add(id);
    this.#byEventId.set(eventId, id);
    return id;
  }

  /** Takes back the id of a call that no provider is told of. */
  release(eventId: string): void {
    const id = this.#byEventId.get(eventId);
    if (id === undefined) return;
    this.#byEventId.delete(eventId);
    this.#taken.delete(id);
  }
}

/** What the model called it: an event's id is `{runId}/{rawId}`, where the run may be another one than the event's. */
function rawIdOf(eventId: string, runId: string): string {
  if (eventId.startsWith(`${runId}/`)) return eventId.slice(runId.length + 1);
  return eventId.slice(eventId.lastIndexOf('/') + 1);
}
