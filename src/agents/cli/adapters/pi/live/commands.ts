import { recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';

/** The answer to a command. */
export type CommandAnswer = { readonly data: WireRecord } | { readonly error: string };

/** Sends commands to Pi and pairs them with their responses. */
export class PiCommands {
  readonly #send: (message: string) => void;
  readonly #open = new Map<string, (answer: CommandAnswer) => void>();
  #count = 0;

  constructor(send: (message: string) => void) {
    this.#send = send;
  }

  call(type: string, fields: object, done: (answer: CommandAnswer) => void): void {
    const id = `singletree-${++this.#count}`;
    this.#open.set(id, done);
    this.#send(JSON.stringify({ id, type, ...fields }));
  }

  /** Handles a response; returns false when it answers no open command. */
  settle(record: WireRecord): boolean {
    const id = textOf(record['id']);
    const done = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || done === undefined) return false;
    this.#open.delete(id);
    if (record['success'] === true) done({ data: recordOf(record['data']) ?? {} });
    else done({ error: textOf(record['error']) ?? 'The command failed.' });
    return true;
  }
}
