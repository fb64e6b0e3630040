/** The part of the agent library that is used; loaded when an editor connects. */
export {
  agent,
  type AgentApp,
  type AgentContext,
  type InitializeRequest,
  type McpServer,
  ndJsonStream,
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
