import type { UserMessage } from '../../../agents/contract/host.ts';
import { newId } from '../../../events/ids.ts';
import type { ContentPart } from '../../../events/content.ts';
import type { RequestContext } from '../tools/request-context.ts';
import type { RunTrace } from '../../../events/trace-context.ts';

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

interface Message {
  input: UserInput;
  readonly accepted: Deferred<string>;
  readonly done: Deferred<void>;
  isDelivered: boolean;
  /** Resolves when it waits in the log; absent when it need not. */
  storing?: Promise<void>;
  isStored?: boolean;
}

/** A message that is being sent, and whether a run or its thread has received it. */
export interface SentMessage extends PendingSend {
  readonly isDelivered: () => boolean;
}

/** The contents of messages and the promises of their callers, by number. */
export class Messages {
  readonly #messages = new Map<number, Message>();

  add(id: number, input: UserInput): SentMessage {
    const message: Message = { input, accepted: deferred(), done: deferred(), isDelivered: false };
    this.#messages.set(id, message);
    return {
      runId: () => message.accepted.promise,
      done: message.done.promise,
      isDelivered: () => message.isDelivered,
    };
  }

  /** The contents of messages, in this order. */
  contents(ids: readonly number[]): UserInput[] {
    return ids.flatMap(id => this.#messages.get(id)?.input ?? []);
  }

  /** Messages for a run: each has an id from now on. */
  messages(ids: readonly number[]): UserMessage[] {
    for (const id of ids) {
      const message = this.#messages.get(id);
      if (message !== undefined) message.input = { ...message.input, id: message.input.id ?? newId() };
    }
    return this.contents(ids).map(toMessage);
  }

  /** Records that a message is being stored as waiting in the log. */
  store(id: number, storing: Promise<void>): void {
    const message = this.#messages.get(id);
    if (message === undefined) return;
    message.storing = storing.then(() => void (message.isStored = true));
    message.storing.catch(() => {});
  }

  /** Resolves when all these messages wait in the log that have to. */
  async stored(ids: readonly number[]): Promise<void> {
    for (const id of ids) await this.#messages.get(id)?.storing;
  }

  /** Whether a message waits in the log. */
  isStored(id: number): boolean {
    return this.#messages.get(id)?.isStored === true;
  }

  /** The number of the message with an id; undefined when it is not one of this process. */
  findNumber(messageId: string): number | undefined {
    for (const [id, { input }] of this.#messages) if (input.id === messageId) return id;
    return undefined;
  }

  /** Gives a message the words that it has in the log. */
  change(id: number, content: UserInput['content']): void {
    const message = this.#messages.get(id);
    if (message !== undefined) message.input = { ...message.input, content };
  }

  /** Records that a run or the thread has received messages. */
  deliver(ids: readonly number[]): void {
    for (const id of ids) {
      const message = this.#messages.get(id);
      if (message !== undefined) message.isDelivered = true;
    }
  }

  /** Reports the run that receives messages. */
  accept(ids: readonly number[], runId: string): void {
    for (const id of ids) this.#messages.get(id)?.accepted.resolve(runId);
  }

  /** Resolves for the callers, once the messages are in the log; a message that no run received has no run id. */
  finish(ids: readonly number[]): void {
    this.accept(ids, '');
    for (const id of ids) {
      const message = this.#messages.get(id);
      if (message?.storing === undefined) message?.done.resolve();
      else void message.storing.then(message.done.resolve, message.done.reject);
    }
  }

  /** Rejects for the callers. */
  fail(ids: readonly number[], error: unknown): void {
    for (const id of ids) {
      this.#messages.get(id)?.accepted.reject(error);
      this.#messages.get(id)?.done.reject(error);
    }
  }

  /** Drops the messages that are no longer needed. */
  drop(ids: readonly number[], isNeeded: (id: number) => boolean): void {
    for (const id of ids) if (!isNeeded(id)) this.#messages.delete(id);
  }
}

/** Creates a promise that is settled from outside; its rejection needs no handler. */
export function deferred<Value>(): Deferred<Value> {
  let settle: Pick<Deferred<Value>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Prevents an unhandled rejection when no caller awaits it.
  promise.catch(() => {});
  return { promise, ...(settle as unknown as Pick<Deferred<Value>, 'resolve' | 'reject'>) };
}

/** A message of a person. */
export interface UserInput {
  readonly content: string | readonly ContentPart[];
  readonly requestContext?: RequestContext | undefined;
  /** The requested trace of its run. */
  readonly trace?: Partial<RunTrace> | undefined;
  /** Its message id; a new one by default. */
  readonly id?: string;
  /** Whether it waits in the log: another process may have delivered it, or a person withdrawn it. */
  readonly isStored?: boolean;
}

/** A message that is being sent. */
interface PendingSend {
  /** Resolves with the run that receives it; empty when none does. */
  readonly runId: () => Promise<string>;
  /** Resolves when its turn is over; for an injected message when that turn has started. */
  readonly done: Promise<void>;
}

/** Converts input to a message for a run. */
export function toMessage({ content, id = newId() }: UserInput): UserMessage {
  return { id, content };
}
