import { SingletreeError } from '../../../base/singletree-error.ts';
import { type HarnessFile, userContent } from '../messages/message-content.ts';
import { systemReminderText, withMetadata } from '../../conversations/system-reminder.ts';
import type { Traced } from './tracing.ts';
import type { UserInput } from '../machine/messages.ts';

type SignalText = { readonly type: 'text'; readonly text: string };
type SignalFile = { readonly type: 'file' } & HarnessFile;
type Contents<Part> = string | readonly Part[];
type SignalContents = Contents<SignalText | SignalFile>;

interface TypedSignal<Type extends string, Part = SignalText | SignalFile> extends Traced {
  readonly type: Type;
  readonly contents: Contents<Part>;
  readonly id?: string;
}

interface Reminder extends TypedSignal<'system-reminder', SignalText> {
  /** Values with the name of a reminder field are stored there, `type` as its type; all others in its `metadata`. */
  readonly attributes?: Record<string, unknown>;
}

interface Untyped extends Traced {
  readonly content: SignalContents;
  readonly files?: readonly HarnessFile[];
}

/** Input for the agent: a message of a person, or a reminder to act on. */
export type Signal = Untyped | TypedSignal<'user-message' | 'user'> | Reminder;
type SignalType = Exclude<Signal, Untyped>['type'];

/** A sent signal; `accepted` resolves with the run that receives it. */
export interface AcceptedSignal {
  readonly id: string;
  readonly type: SignalType;
  readonly accepted: Promise<{ accepted: true; runId: string }>;
}

/** Reads the content of a signal; throws `invalid_argument` for an unknown type. */
export function readSignal(signal: Signal): Pick<UserInput, 'content' | 'id'> & { readonly type: SignalType } {
  if ('content' in signal) return { type: 'user-message', content: toContent(signal.content, signal.files) };
  const { type, contents, id } = signal;
  const named = id === undefined ? {} : { id };
  if (signal.type === 'system-reminder') {
    const { type: reminderType, ...metadata } = signal.attributes ?? {};
    const reminder = { message: toText(contents), ...(typeof reminderType === 'string' && { reminderType }) };
    return { type, ...named, content: systemReminderText(withMetadata(reminder, metadata)) };
  }
  if (type === 'user-message' || type === 'user') return { type, ...named, content: toContent(contents) };
  throw new SingletreeError(
    'invalid_argument',
    `Unknown signal type "${type}". Use "user-message" or "system-reminder".`,
  );
}

function toContent(contents: SignalContents, files: readonly HarnessFile[] = []): UserInput['content'] {
  if (typeof contents === 'string') return userContent(contents, files);
  return userContent(toText(contents), [
    ...contents.filter((part): part is SignalFile => part.type === 'file'),
    ...files,
  ]);
}

function toText(contents: SignalContents): string {
  if (typeof contents === 'string') return contents;
  return contents.flatMap(part => (part.type === 'text' ? part.text : [])).join('\n');
}
