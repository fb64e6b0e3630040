import type { AgentEvent } from '../events/index.ts';
import { type Conversation, createConversation, defaultActive, reduceConversation } from '../graph/index.ts';
import type { Message } from './message.ts';
import { plainMessages } from './project-messages.ts';

export interface TranscriptOptions {
  /** What was said before; it comes first, unchanged. */
  readonly history?: readonly Message[];
  /** Outputs longer than this many characters are shortened for the model; they stay whole in the log. */
  readonly maxOutputLength?: number;
}

/**
 * What a model is sent, built event by event: the active branch as `projectMessages` gives it, before it is made fit for
 * a provider that wants a person's message first and none of its own last.
 */
export class Transcript {
  readonly #options: TranscriptOptions;
  #conversation: Conversation = createConversation();

  constructor(options: TranscriptOptions = {}) {
    this.#options = options;
  }

  /** Takes in one more event. */
  add(event: AgentEvent): void {
    this.#conversation = reduceConversation(this.#conversation, event);
  }

  /** The conversation so far. */
  messages(): Message[] {
    return plainMessages(this.#conversation, defaultActive(this.#conversation), this.#options);
  }
}
