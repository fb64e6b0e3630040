import {
  type Block,
  type Conversation,
  getBlocks,
  getChunks,
  getMessage,
  getRun,
  type RunStatus,
} from '../../../graph/index.ts';
import type { HarnessMessage, HarnessMessageContent, HarnessStopReason } from '../harness-message.ts';
import { blockParts } from './message-content.ts';

/** A message of an agent: what its run said before, between and after the words that people put in meanwhile. */
export interface AssistantPlace {
  /** The message of the run in the conversation. */
  readonly messageId: string;
  /** How many times people put something in before it. */
  readonly after: number;
}

/** The id of an agent's message: that of its run, with a number when people put something in before it. */
export function assistantId({ messageId, after }: AssistantPlace): string {
  return after === 0 ? messageId : `${messageId}:${after + 1}`;
}

/** What a `message_update` adds at the end of its message. */
export interface MessageDelta {
  readonly type: 'text' | 'thinking';
  readonly delta: string;
}

/**
 * An agent's message in a conversation, in constant time: content, stop reason and error message are made when they
 * are read, and stay what they were in that conversation whatever comes later.
 */
export function assistantMessage(
  conversation: Conversation,
  place: AssistantPlace,
  createdAt: Date,
  delta?: MessageDelta,
): HarnessMessage {
  return new AssistantMessage(conversation, place, createdAt, delta);
}

/** What an update added, for those who send it on and already sent what was before; undefined when it is no addition. */
export function deltaOf(message: HarnessMessage): MessageDelta | undefined {
  return AssistantMessage.deltaOf(message);
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
    // They are fields of its own, so that a copy has them too. While a message grows it has no end to tell.
    Object.defineProperty(this, 'content', AssistantMessage.#contentField);
    if (delta !== undefined) return;
    Object.defineProperty(this, 'stopReason', AssistantMessage.#stopReasonField);
    Object.defineProperty(this, 'errorMessage', AssistantMessage.#errorField);
  }

  get stopReason(): HarnessStopReason | undefined {
    return stopReasonOf(this.#conversation, this.#place);
  }

  get errorMessage(): string | undefined {
    return this.stopReason === 'error' ? errorOf(this.#conversation, this.#place.messageId) : undefined;
  }

  static deltaOf(message: HarnessMessage): MessageDelta | undefined {
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

/** What the class has, as a field of the message itself. */
function ownField(prototype: object, name: string): PropertyDescriptor {
  return { ...Object.getOwnPropertyDescriptor(prototype, name), enumerable: true };
}

/** A field that is read when it is asked for, made once for all messages. */
function field(get: (this: AssistantMessage) => unknown): PropertyDescriptor {
  return { get, enumerable: true, configurable: true };
}

/** How a run that ended with that status ended, as a harness tells it. */
export function endReason(status: Exclude<RunStatus, 'running'>): 'complete' | 'aborted' | 'error' {
  if (status === 'complete' || status === 'max_iterations') return 'complete';
  return status === 'aborted' ? 'aborted' : 'error';
}

/** The agent's blocks at a place of its run. */
export function assistantBlocks(conversation: Conversation, { messageId, after }: AssistantPlace): Block[] {
  let before = 0;
  return getBlocks(conversation, messageId).filter(block => {
    if (block.role === 'user') before++;
    return block.role !== 'user' && before === after;
  });
}

function stopReasonOf(conversation: Conversation, place: AssistantPlace): HarnessStopReason | undefined {
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

/** What a run failed with; one that failed before it began told it in the message before. */
function errorOf(conversation: Conversation, messageId: string): string {
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
