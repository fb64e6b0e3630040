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
  for (const message of messages) {
    if (message.role === 'user') pushUser(strict, spoken(message.content));
    else if (message.role === 'assistant') {
      const content = message.content.filter(hasSubstance).map(named);
      if (content.some(part => part.type !== 'reasoning')) pushAssistant(strict, [{ role: 'assistant', content }]);
    } else if (message.role === 'tool') strict.push({ role: 'tool', content: message.content.map(named) });
  }
  if (strict.length > 0 && strict[0]?.role !== 'user') strict.unshift({ role: 'user', content: opening });
  if (strict.at(-1)?.role === 'assistant') strict.push({ role: 'user', content: goOn });
  return [...system, ...strict];
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
