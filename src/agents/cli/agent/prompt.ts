import type { Message } from '../../../projections/message.ts';

/** The prompt of an external agent: the last request, and earlier messages that its own session does not know. */
export interface CliPrompt {
  readonly text: string;
  /** Whether earlier messages were written into the prompt. */
  readonly includesHistory: boolean;
}

/** Returns the prompt of a run; `known` is the number of first messages that the program's session knows. */
export function promptOf(messages: readonly Message[], known = 0): CliPrompt {
  const at = messages.findLastIndex(message => message.role === 'user');
  const request = textOf(messages[at]);
  const before = messages.slice(known, Math.max(0, at)).filter(message => textOf(message) !== '');
  if (before.length === 0) return { text: request, includesHistory: false };
  const history = before.map(message => `${message.role === 'user' ? 'User' : 'Assistant'}: ${textOf(message)}`);
  const when = known === 0 ? 'This conversation took place before' : 'Meanwhile this was said';
  return { text: `${when}:\n\n${history.join('\n\n')}\n\nNow the user asks:\n\n${request}`, includesHistory: true };
}

function textOf(message: Message | undefined): string {
  if (message === undefined || message.role === 'tool') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
