import type { ContentPart } from '../../../events/index.ts';
import type { Message } from '../../../projections/message.ts';

/** The prompt of an external agent: the last request, and earlier messages that its own session does not know. */
export interface CliPrompt {
  readonly text: string;
  /** Whether earlier messages were written into the prompt. */
  readonly includesHistory: boolean;
  /** The images and files of the request. */
  readonly attachments: readonly Attachment[];
}

/** An image or a file of a message. */
export type Attachment = Exclude<ContentPart, { type: 'text' }>;

/** Returns the prompt of a run; `known` is the number of first messages that the program's session knows. */
export function promptOf(messages: readonly Message[], known = 0): CliPrompt {
  const at = messages.findLastIndex(message => message.role === 'user');
  const request = textOf(messages[at]);
  const before = messages.slice(known, Math.max(0, at)).filter(message => textOf(message) !== '');
  const attachments = attachmentsOf(messages[at]);
  if (before.length === 0) return { text: request, includesHistory: false, attachments };
  const history = before.map(message => `${message.role === 'user' ? 'User' : 'Assistant'}: ${textOf(message)}`);
  const when = known === 0 ? 'This conversation took place before' : 'Meanwhile this was said';
  const text = `${when}:\n\n${history.join('\n\n')}\n\nNow the user asks:\n\n${request}`;
  return { text, includesHistory: true, attachments };
}

function textOf(message: Message | undefined): string {
  if (message === undefined || message.role === 'tool') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function attachmentsOf(message: Message | undefined): readonly Attachment[] {
  if (message?.role !== 'user' || typeof message.content === 'string') return [];
  return message.content.flatMap(part => (part.type === 'text' ? [] : [part]));
}

/** The message about attachments that a program cannot take; undefined when there are none. */
export function droppedAttachments(name: string, dropped: readonly Attachment[]): string | undefined {
  if (dropped.length === 0) return undefined;
  const kinds = dropped.map(part => ('filename' in part ? (part.filename ?? part.mediaType) : part.mediaType));
  return `${name} does not take these attachments over this channel, they were left out: ${kinds.join(', ')}.`;
}
