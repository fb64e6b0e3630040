/**
 * Pure views of events: what a model is sent, where a run stands, what a person sees.
 * @module
 */
export type { AssistantPart, Message, ToolResultPart } from './message.ts';
export { type CallState, foldRun, type RelayState, type RunState } from './run-state.ts';
export { threadView } from './thread-view.ts';
export { Transcript, type TranscriptOptions } from './transcript.ts';
