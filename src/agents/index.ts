/**
 * What can be invoked: the contract, one model call, the loop, external agents, permissions.
 * @module
 */
export type { Agent, Answers, InvokeParams, RelayAnswer, Steering, UserMessage } from './agent.ts';
export { agentPage } from './cli/agent-page.ts';
export { cliAdapters } from './cli/adapters.ts';
export type { CliAdapter } from './cli/cli-adapter.ts';
export { type CliAgentOptions, cliAgent } from './cli/cli-agent.ts';
export { Places } from './places.ts';
export type { Translator, TranslatorOptions } from './cli/translator.ts';
export { type LoopAgentOptions, loopAgent } from './loop/loop-agent.ts';
export { defineTool, type Tool, type ToolContext, type ToolReturn } from './loop/tool.ts';
export { type ModelAgentOptions, modelAgent } from './model/model-agent.ts';
export type { ModelSettings } from './model/model-settings.ts';
export type { ModelSource } from './model/model-source.ts';
export {
  createModelRegistry,
  type ModelInfo,
  type ModelRegistry,
  type ModelRegistryOptions,
  type ProviderInfo,
} from './model/registry.ts';
export type { CompatibleProvider, ModelProvider } from './model/registry-providers.ts';
export type { RetryOptions } from './model/retry.ts';
export {
  type Decision,
  type DecisionSource,
  decide,
  type Grant,
  grant,
  grantCovers,
  grantFor,
  matchCommand,
  type PermissionRule,
  type PermissionRules,
  type Permissions,
  permissionRule,
  permissionRules,
  type Policy,
  parsePermissionRules,
  type Remember,
  type ToolRequest,
} from './permissions/index.ts';
