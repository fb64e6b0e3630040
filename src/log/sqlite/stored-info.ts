import type { ThreadChange } from '../event-log.ts';
import { mergeMetadata } from '../threads.ts';
import type { ThreadInfo } from './statements.ts';

/** What threads are called and carry, as texts. What was written last is kept: it is mostly what is changed next. */
export class StoredInfo {
  #text = '';
  #info: ThreadInfo | undefined;

  /** The text after a change. */
  after(text: string, { title, metadata = {} }: ThreadChange): string {
    const before = this.#info !== undefined && this.#text === text ? this.#info : (JSON.parse(text) as ThreadInfo);
    this.#info = {
      title: title ?? before.title,
      metadata: mergeMetadata(before.metadata, metadata),
      branchedFrom: before.branchedFrom,
    };
    this.#text = JSON.stringify(this.#info);
    return this.#text;
  }
}
