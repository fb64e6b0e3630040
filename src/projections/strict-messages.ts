import { pushAssistant, pushUser } from './join-messages.ts';
import type { AssistantPart, Message, ToolResultPart } from './message.ts';

const opening = 'The conversation begins with what you did.';
const goOn = 'Go on.';
const saidNothing = '(no text)';

/**
 * Messages that every provider takes: no blank text, no message without something to say, tool names of the characters
 * and length all of them allow, a person's message first, and a person's or a tool's last.
 */
export function strictMessages(messages: readonly Message[]): Message[] {
  const system = messages.filter(message => message.role === 'system');
  const strict: Message[] = [];
  for (const message of messages) pushStrict(strict, message);
  return [...system, ...enclosed(strict)];
}

/** Adds a message made fit, or nothing when it has nothing to say; one of the system is left out. */
export function pushStrict(strict: Message[], message: Message): void {
  if (message.role === 'user') pushUser(strict, spoken(message.content));
  else if (message.role === 'assistant') {
    const content = message.content.filter(hasSubstance).map(named);
    if (content.some(part => part.type !== 'reasoning')) pushAssistant(strict, [{ role: 'assistant', content }]);
  } else if (message.role === 'tool') strict.push({ role: 'tool', content: message.content.map(named) });
}

const openings = new WeakMap<Message, Message>();

/** The messages with a person's first, and a person's or a tool's last. */
export function enclosed(strict: readonly Message[]): Message[] {
  const messages = [...strict];
  const [first] = strict;
  if (first !== undefined && first.role !== 'user') {
    const before = openings.get(first) ?? { role: 'user', content: opening };
    openings.set(first, before);
    messages.unshift(before);
  }
  if (strict.at(-1)?.role === 'assistant') messages.push({ role: 'user', content: goOn });
  return messages;
}

function spoken(content: Extract<Message, { role: 'user' }>['content']): typeof content {
  if (typeof content === 'string') return content.trim() === '' ? saidNothing : content;
  const parts = content.filter(part => part.type !== 'text' || part.text.trim() !== '');
  return parts.length === 0 ? saidNothing : parts;
}

function hasSubstance(part: AssistantPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '';
}

/** A call or a result under a name that every provider takes. */
function named<Part extends AssistantPart | ToolResultPart>(part: Part): Part {
  if (part.type !== 'tool_call' && part.type !== 'tool_result') return part;
  const name = part.name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'tool';
  return name === part.name ? part : { ...part, name };
}
