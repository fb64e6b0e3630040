/**
 * The chat app of the terminal, on the Harness.
 * @module
 */
export { ChatApp } from './session/chat-app.ts';
export type { ChatOptions } from './session/chat-options.ts';
