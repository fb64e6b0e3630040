import type { ContentPart } from '../../events/content.ts';
import type { Message } from '../message.ts';
import { noText } from './fit-message.ts';

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

/** How a list of messages ends: what is added later, or joined with the last message, can be taken off again. */
export interface ListEnd {
  readonly length: number;
  readonly last: Message | undefined;
}

export function endOf(messages: readonly Message[]): ListEnd {
  return { length: messages.length, last: messages.at(-1) };
}

/** Takes off what was added since the list had this end. */
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
