import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import type { ContentPart } from '../../../events/content.ts';
import { newId } from '../../../events/ids.ts';
import type { UserMessage } from '../../contract/host.ts';

type Content = string | readonly ContentPart[];

/** A prompt that continues a run, and the events that show it in the thread. */
export interface NextPrompt {
  readonly content: Content;
  readonly events: readonly AgentEvent[];
}

/** The author of messages that the driver itself writes to an agent. */
export const driverName = 'singletree';

/** The messages of a run for its agent: what people say during a turn, and notes of the driver about its decisions. */
export class TurnMessages {
  readonly #runId: string;
  /** Messages that wait for the end of the turn. */
  #waiting: UserMessage[] = [];
  /** Messages that were steered and have not reached the model. */
  readonly #steered = new Map<string, UserMessage>();
  /** Notes that were steered and have not reached the model. */
  readonly #steeredNotes = new Map<string, string>();
  #notes: string[] = [];
  /** What was reported to have joined the turn. */
  readonly #joined = new Map<string, Content>();
  /** What had joined a turn that did not handle it; the thread shows it already. */
  readonly #unhandled: Content[] = [];

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** Keeps a message until the turn ends. */
  wait(message: UserMessage): void {
    this.#waiting.push(message);
  }

  /** Keeps a note until the turn ends. */
  note(text: string): void {
    this.#notes.push(text);
  }

  /** Registers a note that is sent into the turn. */
  steerNote(id: string, text: string): void {
    this.#steeredNotes.set(id, text);
  }

  /** Registers a message that is sent into the turn. */
  steer(message: UserMessage): void {
    this.#steered.set(message.id, message);
  }

  /** Whether a message of a person was steered and has not reached the model. */
  isSteered(messageId: string): boolean {
    return this.#steered.has(messageId);
  }

  /** Returns the event of a steered message that has reached the model; undefined when it is not one of a person. */
  joined(messageId: string): EventOf<'user'> | undefined {
    const message = this.#steered.get(messageId);
    const note = this.#steeredNotes.get(messageId);
    const content = message?.content ?? note;
    if (content !== undefined) this.#joined.set(messageId, content);
    this.#steered.delete(messageId);
    this.#steeredNotes.delete(messageId);
    return message && this.#userEvent(message);
  }

  /** Ends a turn: of what had joined it, the messages with these ids have not been handled. */
  endTurn(unsent: readonly string[] = []): void {
    this.#unhandled.push(...unsent.flatMap(id => (this.#joined.has(id) ? [this.#joined.get(id) as Content] : [])));
    this.#joined.clear();
  }

  /** Takes everything that has not reached the model as the next prompt; undefined when there is nothing. */
  next(): NextPrompt | undefined {
    const messages = [...this.#steered.values(), ...this.#waiting];
    const notes = [...this.#steeredNotes.values(), ...this.#notes];
    this.#steered.clear();
    this.#steeredNotes.clear();
    this.#waiting = [];
    this.#notes = [];
    const unhandled = this.#unhandled.splice(0);
    if (messages.length + notes.length + unhandled.length === 0) return undefined;
    const note = notes.join('\n\n');
    const noted: EventOf<'user'>[] =
      note === '' ? [] : [{ type: 'user', runId: this.#runId, by: driverName, automatic: true, content: note }];
    const contents = [...unhandled, ...(note === '' ? [] : [note]), ...messages.map(({ content }) => content)];
    return { content: joined(contents), events: [...noted, ...messages.map(message => this.#userEvent(message))] };
  }

  /**
   * Takes the notes, and the messages that had joined a turn which did not handle them, as the event that keeps them for
   * the next run; undefined when there are none. Other unread messages of people are delivered by the caller of the run.
   */
  unread(): EventOf<'user'> | undefined {
    const contents = [...this.#unhandled.splice(0), ...this.#steeredNotes.values(), ...this.#notes];
    this.#steeredNotes.clear();
    this.#notes = [];
    if (contents.length === 0) return undefined;
    const content = joined(contents);
    // Not a message of this run: its session would count as having read it.
    const runId = newId();
    const written = { by: driverName, automatic: true };
    return { type: 'user', runId, ...written, content: typeof content === 'string' ? content : [...content] };
  }

  #userEvent({ id, content }: UserMessage): EventOf<'user'> {
    return { type: 'user', runId: this.#runId, id, content: typeof content === 'string' ? content : [...content] };
  }
}

function joined(contents: readonly Content[]): Content {
  if (contents.every(content => typeof content === 'string')) return contents.join('\n\n');
  return contents.flatMap(content =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
  );
}
