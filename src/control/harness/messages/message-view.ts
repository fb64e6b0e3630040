import type { Block, RunStatus } from '../../../graph/conversation/record.ts';
import type { Conversation } from '../../../graph/conversation/conversation.ts';
import { getBlocks, getChunks, getMessage, getRun } from '../../../graph/conversation/queries.ts';
import type { HarnessMessage, HarnessMessageContent, HarnessStopReason } from '../harness-message.ts';
import { blockParts } from './message-content.ts';

/** A message of an agent. A run is split into several messages where people spoke meanwhile. */
export interface AssistantPlace {
  /** The message of the run in the conversation. */
  readonly messageId: string;
  /** How many user messages precede it in the run. */
  readonly after: number;
}

/** The id of an agent's message: that of its run, with a number after an injected user message. */
export function assistantId({ messageId, after }: AssistantPlace): string {
  return after === 0 ? messageId : `${messageId}:${after + 1}`;
}

/** The text that a `message_update` appends. */
export interface MessageDelta {
  readonly type: 'text' | 'thinking';
  readonly delta: string;
}

/**
 * Creates an agent's message in constant time: content, stop reason and error message are computed on first read, as of
 * that conversation.
 */
export function assistantMessage(
  conversation: Conversation,
  place: AssistantPlace,
  createdAt: Date,
  delta?: MessageDelta,
): HarnessMessage {
  return new AssistantMessage(conversation, place, createdAt, delta);
}

/**
 * The text that an update appends, for clients that already sent the text before it; undefined when it is no append.
 */
export function getMessageDelta(message: HarnessMessage): MessageDelta | undefined {
  return AssistantMessage.getDelta(message);
}

class AssistantMessage implements HarnessMessage {
  readonly id: string;
  readonly role = 'assistant';
  readonly createdAt: Date;
  declare readonly content: HarnessMessageContent[];
  readonly #conversation: Conversation;
  readonly #place: AssistantPlace;
  readonly #delta: MessageDelta | undefined;
  #content: HarnessMessageContent[] | undefined;

  constructor(conversation: Conversation, place: AssistantPlace, createdAt: Date, delta: MessageDelta | undefined) {
    this.id = assistantId(place);
    this.createdAt = createdAt;
    this.#conversation = conversation;
    this.#place = place;
    this.#delta = delta;
    // Own properties, so that a copy includes them. A growing message has no stop reason.
    Object.defineProperty(this, 'content', AssistantMessage.#contentField);
    if (delta !== undefined) return;
    Object.defineProperty(this, 'stopReason', AssistantMessage.#stopReasonField);
    Object.defineProperty(this, 'errorMessage', AssistantMessage.#errorField);
  }

  get stopReason(): HarnessStopReason | undefined {
    return findStopReason(this.#conversation, this.#place);
  }

  get errorMessage(): string | undefined {
    return this.stopReason === 'error' ? findError(this.#conversation, this.#place.messageId) : undefined;
  }

  static getDelta(message: HarnessMessage): MessageDelta | undefined {
    return #delta in message ? message.#delta : undefined;
  }

  static readonly #contentField = field(function (this: AssistantMessage) {
    this.#content ??= assistantBlocks(this.#conversation, this.#place).flatMap(block =>
      blockParts(this.#conversation, block),
    );
    return this.#content;
  });

  static readonly #stopReasonField = ownField(AssistantMessage.prototype, 'stopReason');
  static readonly #errorField = ownField(AssistantMessage.prototype, 'errorMessage');
}

/** A property of the prototype as an own, enumerable property. */
function ownField(prototype: object, name: string): PropertyDescriptor {
  return { ...Object.getOwnPropertyDescriptor(prototype, name), enumerable: true };
}

/** A getter property that all messages share. */
function field(get: (this: AssistantMessage) => unknown): PropertyDescriptor {
  return { get, enumerable: true, configurable: true };
}

/** Maps the status of a finished run to the reason that a harness reports. */
export function endReason(status: Exclude<RunStatus, 'running'>): 'complete' | 'aborted' | 'error' {
  if (status === 'complete' || status === 'max_iterations') return 'complete';
  return status === 'aborted' ? 'aborted' : 'error';
}

/** The agent's blocks at a position of its run. */
export function assistantBlocks(conversation: Conversation, { messageId, after }: AssistantPlace): Block[] {
  let before = 0;
  return getBlocks(conversation, messageId).filter(block => {
    if (block.role === 'user') before++;
    return block.role !== 'user' && before === after;
  });
}

function findStopReason(conversation: Conversation, place: AssistantPlace): HarnessStopReason | undefined {
  const blocks = getBlocks(conversation, place.messageId);
  const interrupted = blocks.filter(block => block.role === 'user').length > place.after;
  const message = getMessage(conversation, place.messageId);
  const status = (message && getRun(conversation, message.runId)?.status) ?? 'running';
  if (!interrupted && status !== 'running') return endReason(status);
  const last = assistantBlocks(conversation, place).at(-1);
  if (!interrupted && last?.state !== 'complete') return undefined;
  const asks = last !== undefined && blockParts(conversation, last).some(part => part.type === 'tool_call');
  if (asks) return 'tool_use';
  return interrupted ? 'complete' : undefined;
}

/** The error of a run; a run that failed before it started has it in the previous message. */
function findError(conversation: Conversation, messageId: string): string {
  const { runId, parentMessageId } = getMessage(conversation, messageId) ?? { runId: messageId };
  for (const id of [messageId, parentMessageId ?? '']) {
    const chunks = getBlocks(conversation, id).flatMap(block => getChunks(conversation, block.id));
    const failed = chunks.findLast(
      ({ event }) => event.type === 'error' && (id === messageId || event.runId === runId),
    );
    if (failed?.event.type === 'error') return failed.event.message;
  }
  return `The run ended: ${getRun(conversation, runId)?.status ?? 'error'}.`;
}
