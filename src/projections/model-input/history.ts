import type { ContentPart } from '../../events/content.ts';
import type { AssistantPart, Message, ToolResultPart } from '../message.ts';
import { PrefixCache } from './prefix-cache.ts';
import { shortenOutput } from '../shorten-output.ts';

/** Replaces a user message without text: providers reject an empty one. */
export const noText: Message = { role: 'user', content: '(no text)' };

/**
 * A message that every provider accepts: no blank text, tool names of the allowed characters and length. Returns the
 * message itself when it is one, and undefined when it says nothing.
 */
export function fitMessage(message: Message): Message | undefined {
  if (message.role === 'system') return message;
  if (message.role === 'user') return fitUser(message);
  if (message.role === 'tool') return withContent(message, message.content.map(named));
  const content = message.content.filter(hasSubstance).map(named);
  return content.some(part => part.type !== 'reasoning') ? withContent(message, content) : undefined;
}

function fitUser(message: Extract<Message, { role: 'user' }>): Message {
  const { content } = message;
  if (typeof content === 'string') return content.trim() === '' ? noText : message;
  const parts = content.filter(part => part.type !== 'text' || part.text.trim() !== '');
  if (parts.length === 0) return noText;
  return parts.length === content.length ? message : { role: 'user', content: parts };
}

type WithParts = Extract<Message, { role: 'assistant' | 'tool' }>;

function withContent<Kind extends WithParts>(message: Kind, content: Kind['content']): Kind {
  const isSame = content.length === message.content.length && content.every((part, at) => part === message.content[at]);
  return isSame ? message : { ...message, content };
}

function hasSubstance(part: AssistantPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '';
}

/** A call or a result under a name that every provider accepts. */
function named<Part extends AssistantPart | ToolResultPart>(part: Part): Part {
  if (part.type !== 'tool_call' && part.type !== 'tool_result') return part;
  const name = part.name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'tool';
  return name === part.name ? part : { ...part, name };
}

type UserMessage = Extract<Message, { role: 'user' }>;

/**
 * Adds a message to a list. Two user messages in a row become one; an assistant's message is joined with the one before
 * it when that one calls no tool.
 */
export function pushMessage(messages: Message[], message: Message): void {
  const last = messages.at(-1);
  if (last?.role === 'user' && message.role === 'user') messages[messages.length - 1] = joinUser(last, message);
  else if (last?.role === 'assistant' && message.role === 'assistant' && !callsTool(last))
    messages[messages.length - 1] = { role: 'assistant', content: [...last.content, ...message.content] };
  else messages.push(message);
}

/** The end of a list of messages, to which the list can be restored after messages were added or joined. */
export interface ListEnd {
  readonly length: number;
  readonly last: Message | undefined;
}

export function getEnd(messages: readonly Message[]): ListEnd {
  return { length: messages.length, last: messages.at(-1) };
}

/** Restores the list to this end. */
export function cutTo(messages: Message[], { length, last }: ListEnd): void {
  messages.length = length;
  if (last !== undefined) messages[length - 1] = last;
}

function joinUser(first: UserMessage, second: UserMessage): UserMessage {
  if (second === noText) return first;
  if (first === noText) return second;
  return { role: 'user', content: [...userParts(first), ...userParts(second)] };
}

function callsTool({ content }: Extract<Message, { role: 'assistant' }>): boolean {
  return content.some(part => part.type === 'tool_call' && part.executedBy === undefined);
}

/** The parts of a person's message; a plain text is one part. */
export function userParts({ content }: UserMessage): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

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

/** The shortened messages, for each length that a caller chose. */
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
