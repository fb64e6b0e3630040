import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import type { ContentPart } from '../../../events/content.ts';
import { newId } from '../../../events/ids.ts';
import type { UserMessage } from '../../contract/host.ts';
import type { SteerMessage } from '../contract/live-channel.ts';

type Content = string | readonly ContentPart[];

/** A user message, or a note of the driver about its decisions. */
type Unread = UserMessage | { readonly note: string };

/** A prompt that continues a run, and the events that show it in the thread. */
export interface NextPrompt {
  readonly content: Content;
  readonly events: readonly AgentEvent[];
}

/** The author of messages that the driver itself writes to an agent. */
export const driverName = 'singletree';

/** The messages that the agent of a run has not read: user messages during a turn, and notes of the driver. */
export class TurnMessages {
  readonly #runId: string;
  /** The messages that wait for the end of the turn. */
  #waiting: Unread[] = [];
  /** The messages that were sent into the turn and have not reached the model, by id. */
  readonly #steered = new Map<string, Unread>();
  /** The messages that have joined the turn, by id. */
  readonly #joined = new Map<string, Content>();
  /** The messages that joined a turn but were not handled; the thread already shows them. */
  readonly #unhandled: Content[] = [];

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** Keeps a message until the turn ends. */
  wait(message: Unread): void {
    this.#waiting.push(message);
  }

  /** Registers a message that is sent into the turn, and returns it for the channel. */
  steer(message: Unread): SteerMessage {
    const id = 'note' in message ? newId() : message.id;
    this.#steered.set(id, message);
    return { id, content: contentOf(message) };
  }

  /** Whether a user message was steered and has not reached the model. */
  isSteered(messageId: string): boolean {
    const message = this.#steered.get(messageId);
    return message !== undefined && !('note' in message);
  }

  /** Returns the event of a steered message that has reached the model; undefined for a note. */
  joined(messageId: string): EventOf<'user'> | undefined {
    const message = this.#steered.get(messageId);
    if (message === undefined) return undefined;
    this.#steered.delete(messageId);
    this.#joined.set(messageId, contentOf(message));
    return 'note' in message ? undefined : this.#userEvent(message);
  }

  /** Ends a turn: of what had joined it, the messages with these ids have not been handled. */
  endTurn(unsent: readonly string[] = []): void {
    this.#unhandled.push(...unsent.flatMap(id => (this.#joined.has(id) ? [this.#joined.get(id) as Content] : [])));
    this.#joined.clear();
  }

  /** Takes everything that has not reached the model as the next prompt; undefined when there is nothing. */
  next(): NextPrompt | undefined {
    const unread = [...this.#steered.values(), ...this.#waiting];
    const messages = unread.flatMap(message => ('note' in message ? [] : [message]));
    const note = notesIn(unread).join('\n\n');
    const unhandled = this.#unhandled.splice(0);
    this.#steered.clear();
    this.#waiting = [];
    if (unread.length + unhandled.length === 0) return undefined;
    const noted: EventOf<'user'>[] =
      note === '' ? [] : [{ type: 'user', runId: this.#runId, by: driverName, automatic: true, content: note }];
    const contents = [...unhandled, ...(note === '' ? [] : [note]), ...messages.map(contentOf)];
    return { content: join(contents), events: [...noted, ...messages.map(message => this.#userEvent(message))] };
  }

  /**
   * Takes the notes, and the messages that joined a turn without being handled, as an event that keeps them for
   * the next run; undefined when there are none. The caller of the run delivers other unread user messages.
   */
  unread(): EventOf<'user'> | undefined {
    const contents = [...this.#unhandled.splice(0), ...notesIn([...this.#steered.values(), ...this.#waiting])];
    if (contents.length === 0) return undefined;
    const content = join(contents);
    // Not a message of this run: its session would count as having read it.
    const runId = newId();
    const written = { by: driverName, automatic: true };
    return { type: 'user', runId, ...written, content: typeof content === 'string' ? content : [...content] };
  }

  #userEvent({ id, content }: UserMessage): EventOf<'user'> {
    return { type: 'user', runId: this.#runId, id, content: typeof content === 'string' ? content : [...content] };
  }
}

function contentOf(message: Unread): Content {
  return 'note' in message ? message.note : message.content;
}

function notesIn(messages: readonly Unread[]): string[] {
  return messages.flatMap(message => ('note' in message ? [message.note] : []));
}

function join(contents: readonly Content[]): Content {
  if (contents.every(content => typeof content === 'string')) return contents.join('\n\n');
  return contents.flatMap(content =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
  );
}
