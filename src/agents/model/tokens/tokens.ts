import { PrefixCache } from '../../../projections/model-input/prefix-cache.ts';
import type { Message } from '../../../projections/message.ts';
import { sentText } from '../call/prompt.ts';
import { countText } from './count-text.ts';

/** The tokens that an image or a file counts as: providers count them by their own rules. */
const tokensOfAttachment = 1_000;
/** The overhead of each message in tokens, in addition to its text. */
const tokensOfMessage = 4;

let counter: Promise<PrefixCache<Message, number>> | undefined;
const counted = new WeakMap<Message, number>();

/** Returns the approximate number of tokens of these messages; each message is counted once, in bounded time. */
export async function countTokens(messages: readonly Message[]): Promise<number> {
  return (await sums()).last(messages) ?? 0;
}

/** Returns the same for each prefix of the messages: up to the first, up to the second, and so on. */
export async function countTokensOfEach(messages: readonly Message[]): Promise<readonly number[]> {
  return (await sums()).each(messages);
}

/** Returns an upper bound of the tokens of these messages without counting: a token is never less than a byte. */
export function mostTokens(messages: readonly Message[]): number {
  return bounds.last(messages) ?? 0;
}

const bounds = new PrefixCache<Message, number>((message, before = 0) => {
  const { text, attachments } = getContent(message);
  return before + tokensOfMessage + attachments * tokensOfAttachment + Buffer.byteLength(text);
});

function sums(): Promise<PrefixCache<Message, number>> {
  counter ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens: tokenize }) => {
    const count = (text: string) => tokenize(text, { allowedSpecial: 'all' });
    return new PrefixCache((message, before = 0) => before + countMessageTokens(message, count));
  });
  return counter;
}

function countMessageTokens(message: Message, count: (text: string) => number): number {
  const known = counted.get(message);
  if (known !== undefined) return known;
  const { text, attachments } = getContent(message);
  const tokens = tokensOfMessage + attachments * tokensOfAttachment + countText(text, count);
  counted.set(message, tokens);
  return tokens;
}

function getContent({ role, content }: Message): { text: string; attachments: number } {
  if (typeof content === 'string') return { text: content, attachments: 0 };
  let attachments = 0;
  const texts = content.map(part => {
    if (part.type === 'text' || part.type === 'reasoning') return part.text;
    if (part.type === 'image' || part.type === 'file') {
      attachments++;
      return '';
    }
    if (part.type === 'tool_call') return JSON.stringify([part.name, part.input]);
    return sentText(part.output, role === 'assistant');
  });
  return { text: texts.join('\n'), attachments };
}
