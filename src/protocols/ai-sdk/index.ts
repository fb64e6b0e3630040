/**
 * The AI SDK UI message stream, for clients of version 5, 6 and 7.
 * @module
 */
export { aiSdkEncoder, type AiSdkOptions } from './ai-sdk-encoder.ts';
export { aiSdkFraming } from './ai-sdk-framing.ts';
export { aiSdkVersions, type AiSdkChunk, type AiSdkVersion, type SteeringPart } from './chunk.ts';
export type { UiMessage, UiPart } from './ui-message.ts';
export { uiMessages, type UiMessagesOptions } from './ui-messages.ts';
export { Waiting } from './waiting.ts';
