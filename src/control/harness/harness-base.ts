import { defined } from '../../base/defined.ts';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { checkArguments, notSupported } from './arguments/check-arguments.ts';
import type { HarnessDisplayStateListener, HarnessEventListener } from './event-hub.ts';
import type { HarnessDisplayStateSubscriptionOptions } from './display/display-scheduler.ts';
import type { HarnessDisplayState } from './display/display-state.ts';
import { Engine } from './engine.ts';
import type { HarnessConfig, HarnessMode } from './harness-config.ts';
import type { HarnessEvent } from './harness-event.ts';
import type { HeartbeatHandler } from './heartbeats.ts';
import {
  type AvailableModel,
  listModels,
  type ModelAuthStatus,
  modelAuthStatus,
  modelName,
  type ModelSwitch,
  subagentModelId,
} from './settings/models.ts';
import type { Memory } from '../../agents/memory/memory.ts';
import type { ObservationalMemoryRecord } from './memory/harness-memory.ts';
import type { PermissionRules, PermissionPolicy, ToolCategory } from './permissions/permissions.ts';
import type { RequestContext } from './tools/request-context.ts';
import type { HarnessSettings } from './settings/harness-settings.ts';
import type { TaskItemSnapshot } from '../../agents/tasks/assign-task-ids.ts';
import type { TokenUsage } from './token-usage.ts';
import type { Workspace } from './workspace/workspace.ts';

/** The state of a harness: the values of its schema, and the harness settings. */
export type HarnessState<State> = State & HarnessSettings;

/** State, modes, models, permissions and events of a harness. `Harness` adds threads and messages. */
export class HarnessBase<State extends object> {
  readonly id: string;
  protected readonly engine: Engine<State>;

  /** Throws `invalid_argument` for invalid options, `not_supported` for unsupported ones. */
  constructor(config: HarnessConfig<State>) {
    this.engine = new Engine(config);
    this.id = config.id;
  }

  getState(): Readonly<HarnessState<State>> {
    return this.engine.state.get() as HarnessState<State>;
  }

  async setState(updates: Partial<HarnessState<State>>): Promise<void> {
    checkArguments('setState', updates);
    await this.engine.init();
    await this.engine.stateUpdates.update(() => ({ updates, result: undefined }));
  }

  getDisplayState(): HarnessDisplayState {
    return this.engine.hub.display;
  }

  restoreDisplayTasks(tasks: readonly TaskItemSnapshot[]): void {
    this.engine.hub.emit({ type: 'tasks_restored', tasks });
  }

  getTokenUsage(): TokenUsage {
    return this.engine.hub.view.tokenUsage;
  }

  listModes(): HarnessMode<State>[] {
    return [...this.engine.modes.list];
  }

  getCurrentModeId(): string {
    return this.engine.modes.current.id;
  }

  getCurrentMode(): HarnessMode<State> {
    return this.engine.modes.current;
  }

  async switchMode(chosen: { modeId: string }): Promise<void> {
    checkArguments('switchMode', chosen);
    await this.engine.modeChanges.switchMode(chosen.modeId);
  }

  getCurrentModelId(): string {
    return this.engine.choices.modelId;
  }

  getModelName(): string {
    return modelName(this.getCurrentModelId());
  }

  getFullModelId(): string {
    return this.getCurrentModelId();
  }

  hasModelSelected(): boolean {
    return this.getCurrentModelId() !== '';
  }

  /** Applies to the session; with scope `thread` to the open thread, which stores it, or to the next new one. */
  async switchModel(choice: ModelSwitch): Promise<void> {
    checkArguments('switchModel', choice);
    await this.engine.withThreads(() => this.engine.switchModel(choice));
    await this.engine.catalog.track(choice.modelId);
  }

  async getCurrentModelAuthStatus(): Promise<ModelAuthStatus> {
    return modelAuthStatus(await this.engine.catalog.sources(), this.getCurrentModelId());
  }

  async listAvailableModels(): Promise<AvailableModel[]> {
    return listModels(await this.engine.catalog.sources());
  }

  grantSessionCategory(granted: { category: ToolCategory }): void {
    checkArguments('grantSessionCategory', granted);
    this.engine.relays.grant({ category: granted.category });
  }

  grantSessionTool(granted: { toolName: string }): void {
    checkArguments('grantSessionTool', granted);
    this.engine.relays.grant({ toolName: granted.toolName });
  }

  getSessionGrants(): { categories: Set<ToolCategory>; tools: Set<string> } {
    const { categories, tools } = this.engine.permissions.grants;
    return { categories: new Set(categories), tools: new Set(tools) };
  }

  setPermissionForCategory(rule: { category: ToolCategory; policy: PermissionPolicy }): void {
    checkArguments('setPermissionForCategory', rule);
    this.engine.permissions.setForCategory(rule.category, rule.policy);
  }

  setPermissionForTool(rule: { toolName: string; policy: PermissionPolicy }): void {
    checkArguments('setPermissionForTool', rule);
    this.engine.permissions.setForTool(rule.toolName, rule.policy);
  }

  /** Returns a copy: changes to it have no effect. */
  getPermissionRules(): PermissionRules {
    return structuredClone(this.engine.permissions.rules);
  }

  getToolCategory(of: { toolName: string }): ToolCategory | null {
    checkArguments('getToolCategory', of);
    return this.engine.permissions.findCategory(of.toolName);
  }

  /** Returns undefined until the workspace is resolved, and when none is configured. */
  getWorkspace(): Workspace | undefined {
    return this.engine.workspaces.current;
  }

  /** Calls the workspace factory, or retries a failed start; undefined without a workspace. */
  async resolveWorkspace(options: { requestContext?: RequestContext } = {}): Promise<Workspace | undefined> {
    checkArguments('resolveWorkspace', options);
    await this.engine.init();
    return this.engine.workspaces.retry(options.requestContext);
  }

  hasWorkspace(): boolean {
    return this.engine.workspaces.isConfigured;
  }

  /** True with a factory; else once the workspace has started. */
  isWorkspaceReady(): boolean {
    return this.engine.workspaces.isReady;
  }

  /** Ends the commands of the workspace; later runs have no workspace. Does nothing with a factory. */
  async destroyWorkspace(): Promise<void> {
    await this.engine.workspaces.destroy();
  }

  /** Throws `not_supported` for any browser; undefined is accepted. */
  setBrowser(browser: unknown): void {
    if (browser !== undefined) throw notSupported('A browser', 'pass its tools as `tools`');
  }

  /** Returns the configured memory, that of the factory when it is one; null without one. */
  async getResolvedMemory(): Promise<Memory | null> {
    return (await this.engine.memory.resolve()) ?? null;
  }

  /** Returns undefined: the harness runs without a framework. */
  getMastra(): undefined {
    return undefined;
  }

  /** Emits the `om_status` of the open thread. */
  async loadOMProgress(): Promise<void> {
    await this.engine.init();
    await this.engine.memory.loadProgress();
  }

  /** Returns null without a thread, and when nothing of it was observed. */
  async getObservationalMemoryRecord(): Promise<ObservationalMemoryRecord | null> {
    return this.engine.memory.record();
  }

  getObserverModelId(): string | undefined {
    return this.engine.memory.observerModelId;
  }

  getReflectorModelId(): string | undefined {
    return this.engine.memory.reflectorModelId;
  }

  async switchObserverModel(chosen: { modelId: string }): Promise<void> {
    checkArguments('switchObserverModel', chosen);
    await this.#switchMemoryModel('observer', chosen.modelId);
  }

  async switchReflectorModel(chosen: { modelId: string }): Promise<void> {
    checkArguments('switchReflectorModel', chosen);
    await this.#switchMemoryModel('reflector', chosen.modelId);
  }

  #keepSetting<Key extends keyof HarnessSettings>(
    key: Key,
    value: HarnessSettings[Key],
    event: (scope: 'global' | 'thread') => HarnessEvent,
  ): Promise<void> {
    return this.engine.withThreads(() => this.engine.records.set(key, value, event));
  }

  #switchMemoryModel(role: 'observer' | 'reflector', modelId: string): Promise<void> {
    return this.#keepSetting(`${role}ModelId`, modelId, () => ({ type: 'om_model_changed', role, modelId }));
  }

  getObservationThreshold(): number | undefined {
    return this.engine.memory.observationThreshold;
  }

  getReflectionThreshold(): number | undefined {
    return this.engine.memory.reflectionThreshold;
  }

  getResolvedObserverModel(): Promise<LanguageModelV3 | undefined> {
    return this.engine.catalog.resolve(this.getObserverModelId());
  }

  getResolvedReflectorModel(): Promise<LanguageModelV3 | undefined> {
    return this.engine.catalog.resolve(this.getReflectorModelId());
  }

  getSubagentModelId({ agentType }: { agentType?: string } = {}): string | null {
    return subagentModelId(this.engine.state.get(), agentType);
  }

  async setSubagentModelId(chosen: { modelId: string; agentType?: string }): Promise<void> {
    checkArguments('setSubagentModelId', chosen);
    const { modelId, agentType } = chosen;
    const key = agentType === undefined ? 'subagentModelId' : (`subagentModelId_${agentType}` as const);
    await this.#keepSetting(key, modelId, scope => ({
      type: 'subagent_model_changed',
      modelId,
      scope,
      ...defined({ agentType }),
    }));
  }

  /** Delivers every event, in order. Returns an unsubscribe function. */
  subscribe(listener: HarnessEventListener): () => void {
    checkArguments('subscribe', listener);
    return this.engine.hub.subscribe(listener);
  }

  /** Delivers batched display states, starting with the next event. Returns an unsubscribe function. */
  subscribeDisplayState(
    listener: HarnessDisplayStateListener,
    options?: HarnessDisplayStateSubscriptionOptions,
  ): () => void {
    checkArguments('subscribeDisplayState', listener);
    return this.engine.hub.subscribeDisplay(listener, options);
  }

  /** Throws `log_closed` when the harness was destroyed. */
  registerHeartbeat(handler: HeartbeatHandler): void {
    checkArguments('registerHeartbeat', handler);
    this.engine.heartbeats.register(handler);
  }

  /**
   * Resolves when the heartbeat has ended, after at most 5 seconds: then an `error` is emitted. Called from its own
   * beat it resolves at once.
   */
  async removeHeartbeat(of: { id: string }): Promise<void> {
    checkArguments('removeHeartbeat', of);
    await this.engine.heartbeats.remove(of.id);
  }

  /** Removes all heartbeats in the same way. */
  stopHeartbeats(): Promise<void> {
    return this.engine.heartbeats.stop();
  }
}
