/**
 * Everything that can be invoked: the contract, one model call, the loop, external agents, permissions.
 * @module
 */
export type { Agent, CallableAgent } from './contract/agent.ts';
export type { AgentAbilities, AgentMode, ModelRequest } from './contract/abilities.ts';
export type { Answers, RelayAnswer, Session, Steering, UsedTokens, UserMessage } from './contract/host.ts';
export type { ConversationParams, RunOrigin, RunParams } from './contract/run-params.ts';
export type { HostParams, InvokeParams, InvokeRequest } from './contract/agent.ts';
export { isEndOf } from './contract/agent.ts';
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
export type { AskedCall, CallDecision, LiveTurnRun } from './cli/define/live-turn-run.ts';
export type { LiveMode, OpenedSession } from './cli/define/own-channel.ts';
export type { PrintedRun } from './cli/define/printed-run.ts';
export { cliAgent } from './cli/agent/cli-agent.ts';
export type { CliAgentOptions } from './cli/agent/cli-agent-options.ts';
export type { EnvironmentPolicy } from './process/environment.ts';
export { coderAgent, type CoderAgentOptions, type CoderSubagent } from './coder/coder-agent.ts';
export { SessionPool, type SessionPoolOptions } from './cli/live/session-pool.ts';
export { createOrchestrator, type Orchestrator, type OrchestratorOptions, type SpawnOptions } from './orchestrator.ts';
export type { AgentRunOptions, RunHost } from './contract/agent.ts';
export type { RunResult } from './contract/run-result.ts';
export { Semaphore } from './semaphore.ts';
export { readSavedStream, type SavedStream, type SavedStreamOptions } from './cli/saved/saved-stream.ts';
export type { RecordedEnd } from './cli/agent/run-translation.ts';
export type { SavedChunks } from './cli/saved/saved-lines.ts';
export type { Translator, TranslatorOptions } from './cli/contract/translator.ts';
export { loopAgent } from './loop/loop-agent.ts';
export type { LoopAgentOptions } from './loop/loop-agent-options.ts';
export { defineTool, isCallOf, type ToolDefinition } from './tool-definition/define-tool.ts';
export type { ToolEvent, ToolQuestion, ToolResult, ToolReturn } from './contract/tool-values.ts';
export type { SubagentRequest, Tool, ToolCall } from './contract/agent.ts';
export type { CompactionOptions } from './memory/compaction-options.ts';
export { Memory } from './memory/memory.ts';
export type { MemoryOptions, MemoryScope, ObservationOptions, ReflectionOptions } from './contract/memory.ts';
export type { MemoryHost, MemoryJob } from './contract/agent.ts';
export type { MemoryStatus } from './contract/memory.ts';
export { connectAllMcp, connectMcp, type McpConnectFailure, type McpSources } from './mcp/connect-mcp.ts';
export type { McpAddress, McpProgram, McpServer, McpServersConfig } from './contract/mcp-server.ts';
export type { McpOptions, McpSource, McpStatus } from './mcp/mcp-source.ts';
export { type ModelAgentOptions, modelAgent } from './model/call/model-agent.ts';
export type { ModelSettings } from './model/call/model-options.ts';
export type { ModelSource } from './contract/model.ts';
export type { Limit, Limits } from './limits/limits.ts';
export type { Spending } from './contract/spending.ts';
export type { AgentTools, AiSdkTool, NamedTools } from './tool-definition/ai-sdk-tool.ts';
export { asModelV3 } from './model/specification/ai-sdk-model.ts';
export type { AiSdkModel } from './contract/model.ts';
export { createModelRegistry, type ModelRegistryOptions } from './model/registry/registry.ts';
export type { ModelInfo, ModelRegistry, ProviderInfo } from './contract/model.ts';
export type { CompatibleProvider, ModelProvider } from './contract/model.ts';
export { findLocalServers, type LocalServer } from './model/registry/local-servers.ts';
export type { RetryOptions } from './contract/model.ts';
export { decide, type Permissions } from './permissions/decide.ts';
export type { Decision, DecisionSource } from './contract/permissions.ts';
export { grant, grantCovers, grantFor, type Remember } from './permissions/grants.ts';
export type { Grant } from './contract/permissions.ts';
export { matchCommand } from './permissions/shell-pattern.ts';
export { permissionRule, permissionRules, parsePermissionRules } from './permissions/rule.ts';
export type { PermissionRule, PermissionRuleSet, Policy } from './contract/permissions.ts';
export type { ToolRequest } from './contract/permissions.ts';
export { rlmAgent } from './rlm/rlm-agent.ts';
export type { RlmAgentOptions } from './rlm/rlm-agent-options.ts';
export type { RlmLimits } from './rlm/rlm-limits.ts';
export { type DiscoveredSkills, discoverSkills, type Skill, type SkillProblem } from './skills/discover-skills.ts';
export { skillInstructions, skillTool } from './skills/skill-tool.ts';
export { type AgentToolOptions, agentTool, type Subagent } from './subagents/agent-tool.ts';
export type { Budget, Lineage } from './contract/lineage.ts';
export {
  type FetchOptions,
  type WorkspaceToolsOptions,
  workspacePermissions,
  workspaceTools,
} from './tools/workspace-tools.ts';
export { type WorkspaceFolder, type WorkspaceOptions, workspace } from './workspace/workspace-folder.ts';
