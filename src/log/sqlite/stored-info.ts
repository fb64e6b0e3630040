import type { Thread, ThreadChange } from '../event-log.ts';
import { metadataText } from '../threads.ts';
import { damagedThread } from './errors.ts';
import { jsonIn } from './stored-text.ts';

/** The fields of a thread that its row stores as JSON. */
export interface ThreadInfo extends Pick<Thread, 'metadata'> {
  readonly title: Thread['title'] | undefined;
  readonly branchedFrom: Thread['branchedFrom'] | undefined;
}

/** Parses the stored JSON of a thread; throws when the file is damaged there. */
export function parseInfo(threadId: string, text: string): ThreadInfo {
  const info = jsonIn(text) as Partial<ThreadInfo> | null | undefined;
  if (typeof info !== 'object' || !isRecord(info?.metadata)) throw damagedThread(threadId);
  return info as ThreadInfo;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

  /** The text after a change; throws when the text before it is damaged. */
  after({ id, info: text }: { id: string; info: string }, { title, metadata = {} }: ThreadChange): string {
    const changes = Object.entries(metadata).map(([key, value]) => [key, metadataText(value)] as const);
    if (text !== this.#text) this.#take(parseInfo(id, text));
    for (const [key, value] of changes) this.#set(key, value);
    this.#title = title ?? this.#title;
    const rest = JSON.stringify({ title: this.#title, branchedFrom: this.#branchedFrom }).slice(1);
    const before = rest === '}' ? '' : ',';
    this.#text = `{"metadata":{${[...this.#metadata.values()].join()}}${before}${rest}`;
    return this.#text;
  }

  /** Drops its cached data of threads. */
  clear(): void {
    this.#text = '';
    this.#metadata.clear();
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
