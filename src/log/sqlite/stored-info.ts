import type { Thread, ThreadChange } from '../event-log.ts';
import { metadataText } from '../threads.ts';
import type { ThreadInfo } from './statements.ts';

/**
 * What threads are called and carry, as texts. What was written last is kept in pieces: it is mostly what is changed
 * next, and of many keys only one.
 */
export class StoredInfo {
  #text = '';
  #title: string | undefined;
  #branchedFrom: Thread['branchedFrom'];
  /** Each key of the metadata, with its value, as it is written. */
  readonly #metadata = new Map<string, string>();

  /** The text after a change. */
  after(text: string, { title, metadata = {} }: ThreadChange): string {
    const changes = Object.entries(metadata).map(([key, value]) => [key, metadataText(value)] as const);
    if (text !== this.#text) this.#take(JSON.parse(text) as ThreadInfo);
    for (const [key, value] of changes) this.#set(key, value);
    this.#title = title ?? this.#title;
    const rest = JSON.stringify({ title: this.#title, branchedFrom: this.#branchedFrom }).slice(1);
    const before = rest === '}' ? '' : ',';
    this.#text = `{"metadata":{${[...this.#metadata.values()].join()}}${before}${rest}`;
    return this.#text;
  }

  #take({ title, metadata, branchedFrom }: ThreadInfo): void {
    this.#title = title;
    this.#branchedFrom = branchedFrom;
    this.#metadata.clear();
    for (const [key, value] of Object.entries(metadata)) this.#set(key, JSON.stringify(value));
  }

  #set(key: string, value: string | undefined): void {
    if (value === 'null') this.#metadata.delete(key);
    else if (value !== undefined) this.#metadata.set(key, `${JSON.stringify(key)}:${value}`);
  }
}
