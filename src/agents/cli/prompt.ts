import type { Message } from '../../projections/message.ts';

/** What an external agent is told: the last request, and what was said before when its own session does not know it. */
export interface CliPrompt {
  readonly text: string;
  /** The earlier conversation was written into the prompt. */
  readonly isRetold: boolean;
}

/** The prompt for a run: with a session of the program only the request, else the conversation and the request. */
export function promptOf(messages: readonly Message[], hasSession: boolean): CliPrompt {
  const at = messages.findLastIndex(message => message.role === 'user');
  const request = textOf(messages[at]);
  const before = hasSession ? [] : messages.slice(0, Math.max(0, at)).filter(message => textOf(message) !== '');
  if (before.length === 0) return { text: request, isRetold: false };
  const told = before.map(message => `${message.role === 'user' ? 'User' : 'Assistant'}: ${textOf(message)}`);
  const text = `This conversation took place before:\n\n${told.join('\n\n')}\n\nNow the user asks:\n\n${request}`;
  return { text, isRetold: true };
}

function textOf(message: Message | undefined): string {
  if (message === undefined || message.role === 'tool') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
