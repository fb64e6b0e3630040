import { inboxHandlers } from './inbox-handlers.ts';
import type { McpToolHandlers } from './mcp-call.ts';
import { runHandlers } from './run-handlers.ts';
import { threadHandlers } from './thread-handlers.ts';

/** The handlers of all tools; loaded by the first call. */
export const toolHandlers: McpToolHandlers = { ...threadHandlers, ...runHandlers, ...inboxHandlers };
