/** One part of a UI message; which ones a client has depends on its version. */
export interface UiPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One message as clients of the AI SDK keep it. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly parts: readonly UiPart[];
}
