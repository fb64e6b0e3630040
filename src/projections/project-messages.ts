import { type Active, type Block, type Conversation, getChunks, type Summary } from '../graph/index.ts';
import { type Call, callsIn, keptBlockMessages } from './block-messages.ts';
import { conversationFold, type Fold } from './fold.ts';
import { pushAssistant, pushUser } from './join-messages.ts';
import type { Message } from './message.ts';
import { ProviderIds } from './provider-ids.ts';
import { shortenOutput } from './shorten-output.ts';
import { type Span, spansOf } from './spans.ts';
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
  const ids = idsOf(conversation, spans, history);
  const context = { idOf: (call: Call) => ids.get(call.id) ?? call.id, maxOutputLength };
  const messages = history.map(message => shortened(message, maxOutputLength));
  for (const span of spans) {
    if ('summary' in span) pushUser(messages, summaryText(span.summary.text));
    else if (span.block.role === 'assistant')
      pushAssistant(messages, keptBlockMessages(conversation, span.block, context));
    else pushSpoken(messages, conversation, span.block);
  }
  return messages;
}

function pushSpoken(messages: Message[], conversation: Conversation, block: Block): void {
  for (const { event } of getChunks(conversation, block.id))
    if (event.type === 'user') pushUser(messages, event.content);
}

/** The id a provider is sent for each call, given in the order of the calls; those of the history are taken. */
function idsOf(conversation: Conversation, spans: readonly Span[], history: readonly Message[]): Map<string, string> {
  const ids = new ProviderIds();
  for (const message of history)
    if (message.role === 'assistant')
      for (const part of message.content) if (part.type === 'tool_call') ids.reserve(part.id);
  const calls = spans.flatMap(span => ('block' in span ? callsIn(conversation, span.block) : []));
  calls.sort((a, b) => a.order - b.order);
  const seen = new Set<string>();
  return new Map(
    calls.map(({ id, runId, event }) => {
      const isFirst = !seen.has(event.id);
      seen.add(event.id);
      return [id, ids.of({ id: isFirst ? event.id : id, runId })];
    }),
  );
}

function shortened(message: Message, max: number): Message {
  if (message.role !== 'tool') return message;
  return { ...message, content: message.content.map(part => ({ ...part, output: shortenOutput(part.output, max) })) };
}
