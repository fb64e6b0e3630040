/**
 * Everything that can be invoked: the contract, one model call, the loop, external agents, permissions.
 * @module
 */
export type {
  AgentAbilities,
  AgentMode,
  Agent,
  Answers,
  CallableAgent,
  ModelRequest,
  RelayAnswer,
  Session,
  Steering,
  UsedTokens,
  UserMessage,
} from './agent.ts';
export type {
  ConversationParams,
  HostParams,
  InvokeParams,
  InvokeRequest,
  RunOrigin,
  RunParams,
} from './invoke-params.ts';
export { isEndOf } from './agent.ts';
export { type AcpAgentOptions, acpAgent } from './cli/adapters/acp/acp-agent.ts';
export { cliAdapters } from './cli/adapters/cli-adapters.ts';
export type { CliAdapter } from './cli/contract/cli-adapter.ts';
export type { CliCommand, CommandRequest } from './cli/contract/cli-command.ts';
export {
  type AcpMode,
  type CliAgentDefinition,
  defineCliAgent,
  type PrintMode,
} from './cli/define/define-cli-agent.ts';
export type { PrintedRun } from './cli/define/printed-run.ts';
export { cliAgent } from './cli/agent/cli-agent.ts';
export type { CliAgentOptions } from './cli/agent/cli-agent-options.ts';
export type { EnvironmentPolicy } from './process/environment.ts';
export { coderAgent, type CoderAgentOptions, type CoderSubagent } from './coder/coder-agent.ts';
export { SessionPool, type SessionPoolOptions } from './cli/live/session-pool.ts';
export { createOrchestrator, type Orchestrator, type OrchestratorOptions, type SpawnOptions } from './orchestrator.ts';
export type { AgentRunOptions, RunHost } from './run-agent.ts';
export type { RunResult } from './run-result.ts';
export { Semaphore } from './semaphore.ts';
export { readSavedStream, type SavedStream, type SavedStreamOptions } from './cli/saved/saved-stream.ts';
export type { RecordedEnd } from './cli/agent/run-translation.ts';
export type { SavedChunks } from './cli/saved/saved-lines.ts';
export type { Translator, TranslatorOptions } from './cli/contract/translator.ts';
export { loopAgent } from './loop/loop-agent.ts';
export type { LoopAgentOptions } from './loop/loop-agent-options.ts';
export {
  defineTool,
  isCallOf,
  type SubagentRequest,
  type Tool,
  type ToolCall,
  type ToolEvent,
  type ToolQuestion,
  type ToolDefinition,
  type ToolResult,
  type ToolReturn,
} from './loop/tool.ts';
export type { CompactionOptions } from './memory/compaction-options.ts';
export {
  Memory,
  type MemoryOptions,
  type MemoryScope,
  type ObservationOptions,
  type ReflectionOptions,
} from './memory/memory.ts';
export type { MemoryHost, MemoryJob } from './memory/memory-host.ts';
export type { MemoryStatus } from './memory/memory-status.ts';
export { connectAllMcp, connectMcp, type McpConnectFailure, type McpSources } from './mcp/connect-mcp.ts';
export type { McpAddress, McpProgram, McpServer, McpServersConfig } from './mcp/mcp-server.ts';
export type { McpOptions, McpSource, McpStatus } from './mcp/mcp-source.ts';
export { type ModelAgentOptions, modelAgent } from './model/call/model-agent.ts';
export type { ModelSettings } from './model/call/model-settings.ts';
export type { ModelSource } from './model/registry/model-source.ts';
export type { Limit, Limits } from './limits/limits.ts';
export type { Spending } from './limits/spending.ts';
export type { AgentTools, AiSdkTool, NamedTools } from './loop/ai-sdk-tool.ts';
export { asModelV3 } from './model/specification/ai-sdk-model.ts';
export { type AiSdkModel } from './model/specification/converted-model.ts';
export {
  createModelRegistry,
  type ModelInfo,
  type ModelRegistry,
  type ModelRegistryOptions,
  type ProviderInfo,
} from './model/registry/registry.ts';
export type { CompatibleProvider, ModelProvider } from './model/registry/providers.ts';
export { findLocalServers, type LocalServer } from './model/registry/local-servers.ts';
export type { RetryOptions } from './model/call/retry.ts';
export { type Decision, type DecisionSource, decide, type Permissions } from './permissions/decide.ts';
export { type Grant, grant, grantCovers, grantFor, type Remember } from './permissions/grants.ts';
export { matchCommand } from './permissions/shell-pattern.ts';
export {
  type PermissionRule,
  type PermissionRuleSet,
  permissionRule,
  permissionRules,
  type Policy,
  parsePermissionRules,
} from './permissions/rule.ts';
export type { ToolRequest } from './permissions/tool-request.ts';
export { type RlmAgentOptions, rlmAgent } from './rlm/rlm-agent.ts';
export type { RlmLimits } from './rlm/rlm-limits.ts';
export { type DiscoveredSkills, discoverSkills, type Skill, type SkillProblem } from './skills/discover-skills.ts';
export { skillInstructions, skillTool } from './skills/skill-tool.ts';
export { type AgentToolOptions, agentTool, type Subagent } from './subagents/agent-tool.ts';
export type { Budget, Lineage } from './subagents/lineage.ts';
export {
  type FetchOptions,
  type WorkspaceToolsOptions,
  workspacePermissions,
  workspaceTools,
} from './tools/workspace-tools.ts';
export { type WorkspaceFolder, type WorkspaceOptions, workspace } from './workspace/workspace-folder.ts';
