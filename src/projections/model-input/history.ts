import { shortenOutput } from '../shorten-output.ts';
import type { Message, ToolResultPart } from '../message.ts';
import { fitMessage } from './fit-message.ts';
import { pushMessage } from './join-messages.ts';
import { PrefixCache } from './prefix-cache.ts';

/** Lists that are known to be fit for every provider. */
const fitLists = new WeakSet<readonly Message[]>();

/** Notes that a list is fit for every provider; returns it. */
export function markFit<List extends readonly Message[]>(list: List): List {
  fitLists.add(list);
  return list;
}

/**
 * A history fit for every provider, its outputs not longer than `max` characters. Messages of the system come first. A
 * list that is fit already is returned as it is.
 */
export function fitHistory(history: readonly Message[], max: number): readonly Message[] {
  return shortenMessages(fitLists.has(history) ? history : fitted(history), max);
}

function fitted(history: readonly Message[]): readonly Message[] {
  const messages: Message[] = history.filter(({ role }) => role === 'system');
  for (const message of history) {
    const fit = message.role === 'system' ? undefined : fitMessage(message);
    if (fit !== undefined) pushMessage(messages, fit);
  }
  return messages;
}

const shortened = new WeakMap<Message, { readonly max: number; readonly message: Message }>();

/** What was made of messages, for each length that a caller chose. */
const caches = new Map<number, PrefixCache<Message, Message>>();

function shortenMessages(messages: readonly Message[], max: number): readonly Message[] {
  if (max === Number.POSITIVE_INFINITY) return messages;
  const cache = caches.get(max) ?? new PrefixCache(message => shortenMessage(message, max));
  caches.set(max, cache);
  return cache.changesNone(messages) ? messages : cache.each(messages);
}

function shortenMessage(message: Message, max: number): Message {
  if (message.role !== 'tool') return message;
  const before = shortened.get(message);
  if (before?.max === max) return before.message;
  const content = message.content.map((part): ToolResultPart => {
    const output = shortenOutput(part.output, max);
    return output === part.output ? part : { ...part, output };
  });
  const isSame = content.every((part, at) => part === message.content[at]);
  const short = isSame ? message : { ...message, content };
  shortened.set(message, { max, message: short });
  return short;
}
