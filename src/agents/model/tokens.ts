import type { Message } from '../../projections/message.ts';

type CountTokens = (text: string, options: { allowedSpecial: 'all' }) => number;

let counter: Promise<CountTokens> | undefined;

/** What an image or a file counts as: providers count them by their own rules. */
const tokensOfAttachment = 1_000;
/** What a message counts beside its text. */
const tokensOfMessage = 4;

const counted = new WeakMap<Message, number>();

/** About how many tokens a model is sent for these messages; each message is counted once. */
export async function countTokens(messages: readonly Message[]): Promise<number> {
  counter ??= import('gpt-tokenizer/encoding/o200k_base').then(module => module.countTokens);
  const count = await counter;
  let sum = 0;
  for (const message of messages) {
    const known = counted.get(message) ?? tokensOf(message, count);
    counted.set(message, known);
    sum += known;
  }
  return sum;
}

/** At least as many tokens as these messages have, found without counting: a token is hardly ever less than a character. */
export function mostTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => {
    const { text, attachments } = contentOf(message);
    return sum + tokensOfMessage + attachments * tokensOfAttachment + text.length;
  }, 0);
}

function tokensOf(message: Message, count: CountTokens): number {
  const { text, attachments } = contentOf(message);
  return tokensOfMessage + attachments * tokensOfAttachment + count(text, { allowedSpecial: 'all' });
}

const contents = new WeakMap<Message, { text: string; attachments: number }>();

function contentOf(message: Message): { text: string; attachments: number } {
  const known = contents.get(message) ?? readContent(message);
  contents.set(message, known);
  return known;
}

function readContent({ content }: Message): { text: string; attachments: number } {
  if (typeof content === 'string') return { text: content, attachments: 0 };
  let attachments = 0;
  const texts = content.map(part => {
    if (part.type === 'text' || part.type === 'reasoning') return part.text;
    if (part.type === 'image' || part.type === 'file') {
      attachments++;
      return '';
    }
    return JSON.stringify(part.type === 'tool_call' ? [part.name, part.input] : part.output);
  });
  return { text: texts.join('\n'), attachments };
}
