import type { Message } from '../../projections/message.ts';
import { compactionMessage } from '../../projections/model-input/summary-messages.ts';

const title = (length: number) => `Messages of people before, word for word (${length} characters):\n\n`;
const titlePattern = /^Messages of people before, word for word \((\d+) characters\):\n\n/;
const summaryPrefix = compactionMessage('').content;

const between = '\n\n---\n\n';

/**
 * Returns the verbatim text of user messages, including the texts that an earlier summary preserved. When the total
 * exceeds `most` characters, the longest texts are shortened in the middle.
 */
export function preservedMessages(messages: readonly Message[], most: number): string {
  const kept = messages.flatMap(message => {
    if (message.role !== 'user') return [];
    const texts =
      typeof message.content === 'string'
        ? [message.content]
        : message.content.map(part => (part.type === 'text' ? part.text : `[${part.type}]`));
    return texts.flatMap(text => (text.startsWith(summaryPrefix) ? wordsIn(text) : text));
  });
  const whole = kept.join(between);
  if (whole.length <= most) return whole;
  const texts = whole.split(between);
  const longest = longestThatFit(texts, most);
  return texts.map(text => shortened(text, longest)).join(between);
}

/** Returns the length to which texts are shortened so that they have at most this many characters together. */
function longestThatFit(texts: readonly string[], most: number): number {
  let left = most;
  const lengths = texts.map(({ length }) => length).toSorted((a, b) => a - b);
  for (const [index, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) return share;
    left -= length;
  }
  return most;
}

/** Returns the text of a summary that keeps these words; they come first, so that their length delimits them. */
export function withPreserved(summary: string, words: string): string {
  return words === '' ? summary : `${title(words.length)}${words}\n\nSummary of the rest:\n\n${summary}`;
}

function wordsIn(text: string): string[] {
  const summary = text.slice(summaryPrefix.length);
  const [heading, length] = titlePattern.exec(summary) ?? [];
  return heading === undefined ? [] : [summary.slice(heading.length, heading.length + Number(length))];
}

/** A text of more than `most` characters without its middle; the log has the whole of it. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters are left out here]\n${text.slice(-half)}`;
}
