import { type Active, type Conversation, getChunks, type Summary } from '../graph/index.ts';
import { type BlockContext, type Call, callsIn, keptBlockMessages } from './block-messages.ts';
import { BranchCallIds } from './branch-call-ids.ts';
import { conversationFold, type Fold } from './fold.ts';
import { pushAssistant, pushUser } from './join-messages.ts';
import { beginningAs } from './list-origin.ts';
import type { Message } from './message.ts';
import { shortenMessages } from './shorten-output.ts';
import { type Span, spansOf } from './reading/spans.ts';
import { strictMessages } from './strict-messages.ts';
import { summaryText } from './transcript.ts';

export interface MessagesOptions {
  /** What was said before; it comes first. */
  readonly history?: readonly Message[];
  /** Outputs longer than this many characters are shortened for the model; they stay whole in the log. */
  readonly maxOutputLength?: number;
  /** The kinds of summaries that stand for what they cover; all when absent. */
  readonly memory?: readonly Summary['kind'][];
}

/**
 * What a model is sent of a conversation: always valid for strict providers. Every call has exactly one result (one
 * without an outcome says so), ids are unique and of the characters all providers take, roles alternate, summaries stand
 * for what they cover, and what subagents did inside and superseded attempts are left out.
 */
export function projectMessages(conversation: Conversation, active: Active, options: MessagesOptions = {}): Message[] {
  return strictMessages(plainMessages(conversation, active, options));
}

/** The messages to go on with the active branch, as a fold. */
export function messagesFold(options: MessagesOptions = {}): Fold<Conversation, Message[]> {
  return conversationFold((conversation, active) => projectMessages(conversation, active, options));
}

/** The same before blank texts, odd names and the first and last role are made fit for strict providers. */
export function plainMessages(
  conversation: Conversation,
  active: Active,
  { history = [], maxOutputLength = Number.POSITIVE_INFINITY, memory }: MessagesOptions = {},
): Message[] {
  const spans = spansOf(conversation, active, ({ kind }) => memory === undefined || memory.includes(kind));
  const ids = new BranchCallIds(history);
  ids.give(callsOf(conversation, spans));
  const context = { idOf: (call: Call) => ids.of(call), maxOutputLength };
  const before = shortenMessages(history, maxOutputLength);
  const messages = beginningAs([...before], before);
  for (const span of spans) pushSpan(messages, conversation, span, context);
  return messages;
}

/** The calls of what is shown. */
export function callsOf(conversation: Conversation, spans: readonly Span[]): Call[] {
  return spans.flatMap(span => ('block' in span ? callsIn(conversation, span.block) : []));
}

/** Adds what a piece of a conversation is as messages. */
export function pushSpan(messages: Message[], conversation: Conversation, span: Span, context: BlockContext): void {
  if ('summary' in span) pushUser(messages, summaryText(span.summary.text));
  else if (span.block.role === 'assistant')
    pushAssistant(messages, keptBlockMessages(conversation, span.block, context));
  else
    for (const { event } of getChunks(conversation, span.block.id))
      if (event.type === 'user') pushUser(messages, event.content);
}
