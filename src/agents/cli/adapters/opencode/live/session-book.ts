import { dropOldest } from '../../../../drop-oldest.ts';
import { toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';

interface KnownSession {
  readonly parentId: string | undefined;
  readonly agentId: string | undefined;
}

/** The origin of a message: a user, an answer that began in a turn, or `earlier` if it is older than the turns. */
type KnownMessage = 'person' | 'earlier' | { readonly turn: number };

/** Records the sessions and messages that a server has reported, over all turns of a channel. */
export class SessionBook {
  readonly sessions = new Map<string, KnownSession>();
  readonly messages = new Map<string, KnownMessage>();
  readonly #events = new Set<string>();

  /** Whether an event is reported for the first time. */
  isNews(event: WireRecord): boolean {
    const [id, type] = [toText(event['id']), toText(event['type'])];
    if (id === undefined || type === undefined) return true;
    const key = `${id.slice(0, 100)} ${type.slice(0, 100)}`;
    if (this.#events.has(key)) return false;
    this.#events.add(key);
    dropOldest(this.#events);
    return true;
  }

  addSession(info: WireRecord): void {
    const id = toText(info['id']);
    if (id === undefined) return;
    this.sessions.set(id, { parentId: toText(info['parentID']), agentId: toText(info['agent']) });
    dropOldest(this.sessions);
  }

  /** Whether a session was started, directly or not, by another. */
  isBelow(id: string, ancestor: string): boolean {
    const seen = new Set<string>();
    for (let at = this.sessions.get(id)?.parentId; at !== undefined && !seen.has(at); ) {
      if (at === ancestor) return true;
      seen.add(at);
      at = this.sessions.get(at)?.parentId;
    }
    return false;
  }

  /** Registers a message that is older than the turns. */
  addEarlier(id: string): void {
    this.messages.set(id, 'earlier');
    dropOldest(this.messages);
  }

  /**
   * Registers a message and returns what it is. An answer that is complete when it is first reported belongs to an
   * earlier time, such as the history of a forked session.
   */
  addMessage(info: WireRecord, turn: number | undefined): KnownMessage {
    const id = toText(info['id']) ?? '';
    const known = this.messages.get(id);
    if (known !== undefined) return known;
    const message = info['role'] === 'user' ? 'person' : turn === undefined || isComplete(info) ? 'earlier' : { turn };
    this.messages.set(id, message);
    dropOldest(this.messages);
    return message;
  }
}

/** Whether the model call of an answer has ended. */
export function isComplete(info: WireRecord): boolean {
  return toRecord(info['time'])?.['completed'] !== undefined || toRecord(info['error']) !== undefined;
}
