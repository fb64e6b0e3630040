import type { ContentPart } from '../events/index.ts';
import type { Message } from './message.ts';

type Content = Extract<Message, { role: 'user' }>['content'];

/** Adds a user message; two in a row become one. */
export function pushUser(messages: Message[], content: Content): void {
  const last = messages.at(-1);
  if (last?.role !== 'user') messages.push({ role: 'user', content });
  else messages[messages.length - 1] = { role: 'user', content: [...partsOf(last.content), ...partsOf(content)] };
}

/** Adds what an assistant said and got; it goes on with the message before when nothing was asked for there. */
export function pushAssistant(messages: Message[], added: readonly Message[]): void {
  const [said, ...rest] = added;
  const last = messages.at(-1);
  if (said === undefined) return;
  if (said.role === 'assistant' && last?.role === 'assistant' && last.content.every(part => part.type !== 'tool_call'))
    messages[messages.length - 1] = { role: 'assistant', content: [...last.content, ...said.content] };
  else messages.push(said);
  messages.push(...rest);
}

/** How a list of messages ends: what is added later, or joined with the last one, can be taken off again. */
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

/** The parts of a user message. */
function partsOf(content: Content): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
