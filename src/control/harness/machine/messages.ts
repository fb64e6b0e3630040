import type { UserMessage } from '../../../agents/agent.ts';
import { newId } from '../../../events/index.ts';
import { messageOf, type PendingSend, type UserInput } from '../turns/user-input.ts';

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
    return this.contents(ids).map(messageOf);
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

  /** Resolves for the callers; a message that no run received has no run id. */
  finish(ids: readonly number[]): void {
    this.accept(ids, '');
    for (const id of ids) this.#messages.get(id)?.done.resolve();
  }

  /** Rejects for the callers. */
  fail(ids: readonly number[], error: unknown): void {
    for (const id of ids) {
      this.#messages.get(id)?.accepted.reject(error);
      this.#messages.get(id)?.done.reject(error);
    }
  }

  /** Drops the messages that are not needed any more. */
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
  promise.catch(() => {});
  return { promise, ...(settle as unknown as Pick<Deferred<Value>, 'resolve' | 'reject'>) };
}
