import type { ContentPart } from '../../../events/content.ts';
import type { Message } from '../../../projections/message.ts';
import { userParts } from '../../../projections/model-input/history.ts';
import { toWrittenMessages, type WrittenMessage } from '../sessions/written-session.ts';
import type { Session } from '../../contract/host.ts';
import { inlineText } from '../../model/attachments/attachment-data.ts';

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

/** Returns the prompt of a run; `session` is the program's session that the run continues. */
export function buildPrompt(messages: readonly Message[], session: Known = { known: 0 }): CliPrompt {
  const unknown = unknownTo(messages, session);
  const asked = unknown.findLastIndex(message => message.role === 'user');
  const request = unknown[asked] ?? messages.findLast(message => message.role === 'user');
  const before = toWrittenMessages(unknown.slice(0, Math.max(0, asked)))
    .map(message => ({ role: message.role, text: transcribe(message) }))
    .filter(({ text }) => text !== '');
  const attachments = listAttachments(request);
  const asks = toText(request);
  if (before.length === 0) return { text: asks, includesHistory: false, attachments };
  const history = before.map(({ role, text }) => `${role === 'user' ? 'User' : 'Assistant'}: ${text}`);
  const when = session.known === 0 ? 'This conversation took place before' : 'Meanwhile this was said';
  const text = `${when}:\n\n${history.join('\n\n')}\n\nNow the user asks:\n\n${asks}`;
  return { text, includesHistory: true, attachments };
}

type Known = Pick<Session, 'known' | 'knownParts'>;

/** The messages, and the parts that were joined with the last known message, that a session does not know. */
function unknownTo(messages: readonly Message[], { known, knownParts }: Known): readonly Message[] {
  const rest = messages.slice(known);
  const last = messages[known - 1];
  if (last?.role !== 'user' || knownParts === undefined) return rest;
  const content = userParts(last).slice(knownParts);
  return content.length === 0 ? rest : [{ role: 'user', content }, ...rest];
}

/** Returns a message as text, with each call and its result. */
function transcribe({ parts }: WrittenMessage): string {
  const lines = parts.flatMap(part => {
    if (part.type === 'text') return [part.text];
    if (part.type !== 'call') return [];
    const { name, input, output, isError } = part;
    return [`[Called ${name} ${JSON.stringify(input)}]`, `[${isError ? 'Failed' : 'Result'}: ${output}]`];
  });
  return lines.join('\n');
}

function toText(message: Message | undefined): string {
  if (message === undefined || message.role === 'tool') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function listAttachments(message: Message | undefined): readonly Attachment[] {
  if (message?.role !== 'user' || typeof message.content === 'string') return [];
  return message.content.flatMap(part => (part.type === 'text' ? [] : [part]));
}

/** Attachments as a program gets them: those it takes, text files for its prompt, and a message about the others. */
export interface FittedAttachments {
  readonly taken: readonly Attachment[];
  /** The prompt with the text files that the program does not take. */
  readonly text: string;
  readonly dropped: string | undefined;
}

/** Fits the attachments of a prompt to a program. */
export function fitAttachments(
  name: string,
  { text, attachments }: Pick<CliPrompt, 'text' | 'attachments'>,
  isTaken: (part: Attachment) => boolean,
): FittedAttachments {
  const taken = attachments.filter(isTaken);
  const others = attachments.filter(part => !taken.includes(part)).map(part => ({ part, inlined: inlineText(part) }));
  const dropped = others.flatMap(({ part, inlined }) => (inlined === undefined ? [part] : []));
  const inlined = others.flatMap(other => other.inlined ?? []);
  return { taken, text: [text, ...inlined].join('\n\n'), dropped: droppedMessage(name, dropped) };
}

function droppedMessage(name: string, dropped: readonly Attachment[]): string | undefined {
  if (dropped.length === 0) return undefined;
  const kinds = dropped.map(part => ('filename' in part ? (part.filename ?? part.mediaType) : part.mediaType));
  return `${name} does not take these attachments over this channel, they were left out: ${kinds.join(', ')}.`;
}
