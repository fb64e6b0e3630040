/**
 * The HTTP server: commands, streams with resume, the AI SDK's chat interface, and the page.
 * @module
 */
export type { AppEnv } from './route.ts';
export type { AgentDirectory } from './hosts.ts';
export type { ProjectHost } from './hosts.ts';
export type { ProviderHost } from './hosts.ts';
export { type App, createApp } from './app.ts';
export type { AppOptions, ServerOptions } from './server-options.ts';
export type { LogStyle } from './request-log.ts';
export type { AccessToken } from './security/access.ts';
export type { Authenticate, Caller, Right } from './security/caller.ts';
export type { AttemptLimitOptions } from './security/attempt-limit.ts';
export { type RunningServer, startServer } from './start-server.ts';
