import { createHash } from 'node:crypto';

/** Texts with more bytes than this are stored once, however many events contain them. */
const longBytes = 64 * 1024;
/** No body with fewer characters has a long text: a character has at most 3 bytes in UTF-8 for each unit of its length. */
const leastLength = Math.floor(longBytes / 3);
/** Delimits the hash of a text; JSON never contains this character, so that event content cannot be mistaken for it. */
export const contentMark = '\u0003';
const reference = new RegExp(`${contentMark}([0-9a-f]{64})${contentMark}`, 'g');

/** A long text of an event, as JSON writes it. */
export interface LongContent {
  readonly hash: string;
  readonly text: string;
  readonly bytes: number;
}

/** A stored body whose long texts are replaced by references. */
export interface ShortBody {
  readonly body: string;
  /** Each content once. */
  readonly contents: readonly LongContent[];
}

/** Replaces the long texts of a body by references; undefined when it has none. */
export function shortenBody(body: string): ShortBody | undefined {
  if (body.length <= leastLength) return undefined;
  const contents = new Map<string, LongContent>();
  let short = '';
  let copied = 0;
  for (let start = body.indexOf('"'); start >= 0; ) {
    const end = endOfText(body, start);
    if (end - start > leastLength) {
      const text = body.slice(start, end);
      const bytes = Buffer.byteLength(text);
      if (bytes - 2 > longBytes) {
        const hash = createHash('sha256').update(text).digest('hex');
        contents.set(hash, { hash, text, bytes });
        short += `${body.slice(copied, start)}${contentMark}${hash}${contentMark}`;
        copied = end;
      }
    }
    start = body.indexOf('"', end);
  }
  return contents.size === 0 ? undefined : { body: short + body.slice(copied), contents: [...contents.values()] };
}

/** The body with its long texts in the places of their references. */
export function wholeBody(body: string, contentOf: (hash: string) => string): string {
  return body.includes(contentMark) ? body.replaceAll(reference, (_, hash: string) => contentOf(hash)) : body;
}

/** The place after the closing quote of the text that begins at a quote. */
function endOfText(json: string, start: number): number {
  for (let at = start; ; ) {
    at = json.indexOf('"', at + 1);
    if (at < 0) return json.length;
    let before = at;
    while (json[before - 1] === '\\') before--;
    if ((at - before) % 2 === 0) return at + 1;
  }
}
