import * as ai6 from 'ai';
import * as ai5 from 'ai5';
import * as ai7 from 'ai7';
import type { AiSdkVersion } from '../../src/protocols/index.ts';

/** A message as the tests look at it. */
export interface Shown {
  readonly id: string;
  readonly role: string;
  readonly metadata?: unknown;
  readonly parts: readonly { readonly type: string; readonly [field: string]: unknown }[];
}

/** What all versions of the chat have in common. */
export interface Chat {
  readonly messages: readonly Shown[];
  readonly status: string;
  readonly error: Error | undefined;
  sendMessage(message: { text: string; messageId?: string }): Promise<void>;
  regenerate(options?: { messageId?: string }): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
  addToolApprovalResponse?(answer: { id: string; approved: boolean; reason?: string }): unknown;
}

/** The state a chat keeps, without a user interface. */
class PlainState<Message> {
  status = 'ready' as const;
  error: Error | undefined = undefined;
  messages: Message[];
  constructor(messages: readonly Shown[]) {
    this.messages = messages as unknown as Message[];
  }
  pushMessage = (message: Message) => void (this.messages = [...this.messages, message]);
  popMessage = () => void (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index: number, message: Message) =>
    void (this.messages = this.messages.map((each, at) => (at === index ? message : each)));
  snapshot = <Value>(value: Value): Value => structuredClone(value);
}

class Chat5 extends ai5.AbstractChat<ai5.UIMessage> {}
class Chat6 extends ai6.AbstractChat<ai6.UIMessage> {}
class Chat7 extends ai7.AbstractChat<ai7.UIMessage> {}

export interface ChatOptions {
  readonly id: string;
  readonly url: string;
  readonly token?: string;
  /** Sent along with every request. */
  readonly body?: Record<string, unknown>;
  /** The messages it begins with. */
  readonly messages?: readonly Shown[];
}

/** The real chat of a version of the AI SDK with its default transport, on the server at the address. */
export function openChat(version: AiSdkVersion, { id, url, token, body = {}, messages = [] }: ChatOptions): Chat {
  const headers = { 'x-ai-sdk-version': String(version), ...(token && { authorization: `Bearer ${token}` }) };
  const at = { api: `${url}/api/chat`, headers, body };
  if (version === 5)
    return new Chat5({
      id,
      state: new PlainState<ai5.UIMessage>(messages),
      transport: new ai5.DefaultChatTransport(at),
    });
  if (version === 6)
    return new Chat6({
      id,
      state: new PlainState<ai6.UIMessage>(messages),
      transport: new ai6.DefaultChatTransport(at),
      sendAutomaticallyWhen: ai6.lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  return new Chat7({
    id,
    state: new PlainState<ai7.UIMessage>(messages),
    transport: new ai7.DefaultChatTransport(at),
    sendAutomaticallyWhen: ai7.lastAssistantMessageIsCompleteWithApprovalResponses,
  });
}
