import type { AssistantPart, Message, ToolResultPart } from '../message.ts';

/** What stands for a person's message that has no text: providers refuse an empty one. */
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
