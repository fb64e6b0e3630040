import type { Message } from '../../../projections/message.ts';

/** What an external agent is told: the last request, and what was said before that its own session does not know. */
export interface CliPrompt {
  readonly text: string;
  /** Earlier conversation was written into the prompt. */
  readonly includesHistory: boolean;
}

/** The prompt for a run, when the program has a session that knows the first messages: 0 when it has none. */
export function promptOf(messages: readonly Message[], known = 0): CliPrompt {
  const at = messages.findLastIndex(message => message.role === 'user');
  const request = textOf(messages[at]);
  const before = messages.slice(known, Math.max(0, at)).filter(message => textOf(message) !== '');
  if (before.length === 0) return { text: request, includesHistory: false };
  const told = before.map(message => `${message.role === 'user' ? 'User' : 'Assistant'}: ${textOf(message)}`);
  const when = known === 0 ? 'This conversation took place before' : 'Meanwhile this was said';
  return { text: `${when}:\n\n${told.join('\n\n')}\n\nNow the user asks:\n\n${request}`, includesHistory: true };
}

function textOf(message: Message | undefined): string {
  if (message === undefined || message.role === 'tool') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
