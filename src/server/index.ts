/**
 * The HTTP server: commands, the event stream with resume, and the page.
 * @module
 */
export type { AgentDirectory } from './agent-directory.ts';
export { type AppOptions, createApp } from './app.ts';
export { type RunningServer, type ServerOptions, startServer } from './start-server.ts';
