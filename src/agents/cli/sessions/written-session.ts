import type { ContentPart } from '../../../events/content.ts';
import { newId } from '../../../events/ids.ts';
import type { Message, ToolResultPart } from '../../../projections/message.ts';
import { userParts } from '../../../projections/model-input/history.ts';
import { toRecord } from '../shared/wire-value.ts';

/** A call with its result, as every session file has them. */
export interface WrittenCall {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
  readonly isError: boolean;
}

export type WrittenPart = { readonly type: 'text'; readonly text: string } | WrittenCall;

/** A message of a conversation that is handed to another program, without reasoning, which no other program accepts. */
export type WrittenMessage =
  | { readonly role: 'user'; readonly parts: readonly ContentPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly WrittenPart[] };

/** A conversation to be written as a session of a program. */
export interface SessionToWrite {
  readonly messages: readonly WrittenMessage[];
  readonly cwd: string;
  /** When the session begins, in ms; its records follow, a millisecond apart. */
  readonly time: number;
  /** The model of the conversation, as the program names it, for one that continues with that model. */
  readonly model?: string | undefined;
  /** Returns the folder that its files will be in; a program may need their whole paths. */
  readonly findFolder: (sessionId: string) => string;
}

/** The files of a session; the first one is the main file. */
export interface WrittenSession {
  readonly sessionId: string;
  /** Returns the command with which a user continues it, for the path of its main file. */
  readonly continueFrom: (path: string) => string;
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

/** Returns the input of a model as messages to write: every call has a result, and no message is empty. */
export function toWrittenMessages(messages: readonly Message[]): WrittenMessage[] {
  const results = new Map<string, ToolResultPart>();
  for (const { content } of messages)
    if (typeof content !== 'string')
      for (const part of content) if (part.type === 'tool_result') results.set(part.id, part);
  return messages.flatMap((message): WrittenMessage[] => {
    if (message.role === 'user') return [{ role: 'user', parts: userParts(message) }];
    if (message.role !== 'assistant') return [];
    const parts = message.content.flatMap((part): WrittenPart[] => {
      if (part.type === 'text') return [{ type: 'text', text: part.text }];
      if (part.type !== 'tool_call') return [];
      const { id, name } = part;
      // Programs take only objects.
      const input = toRecord(part.input) ?? { input: part.input };
      return [{ type: 'call', id, name, input, ...writtenOutput(results.get(id)?.output) }];
    });
    return parts.length === 0 ? [] : [{ role: 'assistant', parts }];
  });
}

function writtenOutput(output: ToolResultPart['output'] | undefined): Pick<WrittenCall, 'output' | 'isError'> {
  if (output === undefined) return { output: 'The call was interrupted: its outcome is unknown.', isError: true };
  if ('error' in output) return { output: output.error || 'The call failed.', isError: true };
  if ('reason' in output) return { output: `Denied: ${output.reason}`, isError: true };
  const text = typeof output.context === 'string' ? output.context : JSON.stringify(output.context);
  return { output: text?.trim() ? text : '(no output)', isError: false };
}

/** The calls of a message, in order. */
export function writtenCalls({ parts }: WrittenMessage): WrittenCall[] {
  return parts.flatMap(part => (part.type === 'call' ? [part] : []));
}

/** The times of the records of a session, each later than the one before. */
export function recordTimes(time: number): () => Date {
  let next = time;
  return () => new Date(next++);
}

/** Returns records as lines. Each ends with a line feed: programs append to the file. */
export function toJsonLines(records: readonly unknown[]): string {
  return records.map(record => `${JSON.stringify(record)}\n`).join('');
}

/** A new id without hyphens, of so many characters. */
export function shortId(length: number): string {
  return newId().replaceAll('-', '').slice(-length);
}

/** Returns the parts of a user message as blocks: images by `image`, unsupported parts as a note. */
export function writeBlocks(
  parts: readonly ContentPart[],
  image: (part: { readonly data: string; readonly mediaType: string }) => unknown,
  text: (text: string) => unknown = words => ({ type: 'text', text: words }),
): unknown[] {
  return parts.map(part => {
    if (part.type === 'text') return text(part.text);
    if (part.type === 'image' && !/^https?:/.test(part.data)) return image(part);
    const name = 'filename' in part ? part.filename : undefined;
    return text(`[${part.type}: ${name ?? (/^https?:/.test(part.data) ? part.data : part.mediaType)}]`);
  });
}
