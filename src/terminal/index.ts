/**
 * The chat app of the terminal, on the core of conversations.
 * @module
 */
export { ChatApp } from './session/chat-app.ts';
export type { ChatAgent, ChatOptions } from './session/chat-options.ts';
export { isSet, createStyling } from './screen/terminal-styling.ts';
export { PlainChat, type PlainChatOptions } from './session/plain-chat.ts';
