import type { Agent } from '../../agents/contract/agent.ts';
import type { Limits } from '../../agents/limits/limits.ts';
import type { AiSdkModel } from '../../agents/contract/model.ts';
import type { Memory } from '../../agents/memory/memory.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { RunFollower } from '../supervision/run-control.ts';
import type { BuiltinToolId } from './tools/builtin-tools.ts';
import type { ToolsInput } from './tools/harness-tool.ts';
import type { StopCondition } from './tools/subagent-steps.ts';
import type { HeartbeatHandler } from './heartbeats.ts';
import type {
  CustomModelCatalogProvider,
  ModelAuthChecker,
  ModelUseCountProvider,
  ModelUseCountTracker,
} from './settings/models.ts';
import type { ToolCategory } from './permissions/permissions.ts';
import type { ContextOf } from '../supervision/run-input.ts';
import type { PublicSchema } from './arguments/standard-schema.ts';
import type { HarnessSettings } from './settings/harness-settings.ts';
import type { Workspace } from './workspace/workspace.ts';
import type { WorkspaceConfig } from './workspace/workspace-config.ts';
import type { WorkspaceFactory } from './workspace/workspace-host.ts';
import type { Dynamic } from './dynamic.ts';

/** The state of a harness, as its schema describes it. */
export type HarnessStateSchema<State> = State;

/** A named agent with defaults. */
export interface HarnessMode<State = Record<string, unknown>> {
  readonly id: string;
  readonly name?: string;
  readonly default?: boolean;
  readonly defaultModelId?: string;
  /** A hex color, such as `#7c3aed`. */
  readonly color?: string;
  readonly agent: Agent | ((state: Readonly<State>) => Agent);
}

/** A type of subagent that the `subagent` tool can start. */
export interface HarnessSubagent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly instructions: Dynamic<string>;
  readonly tools?: ToolsInput;
  /** Names of harness tools that it may use, too. */
  readonly allowedHarnessTools?: readonly string[];
  /** Names of workspace tools that it may use; all by default. */
  readonly allowedWorkspaceTools?: readonly string[];
  readonly defaultModelId?: string;
  /** The maximum number of steps; 50 by default, unlimited with `stopWhen`. */
  readonly maxSteps?: number;
  /** Ends the subagent between two steps when one of the conditions is true. */
  readonly stopWhen?: StopCondition | readonly StopCondition[];
  /** Whether it starts with a copy of the conversation; false by default. */
  readonly forked?: boolean;
}

/** Defaults of observational memory. */
export interface HarnessOMConfig {
  readonly defaultObserverModelId?: string;
  readonly defaultReflectorModelId?: string;
  readonly defaultObservationThreshold?: number;
  readonly defaultReflectionThreshold?: number;
}

/** Prevents two processes from opening the same thread; `acquire` throws when the lock is held. */
export interface ThreadLock {
  acquire(threadId: string): void | Promise<void>;
  release(threadId: string): void | Promise<void>;
}

/** Unsupported options: the constructor rejects them with `not_supported`. */
export interface UnavailableOptions {
  readonly browser?: unknown;
  readonly pubsub?: unknown;
  readonly observability?: unknown;
}

/** The options of a harness. */
export interface HarnessConfig<State = Record<string, unknown>> extends UnavailableOptions {
  readonly id: string;
  /** At least one. */
  readonly modes: readonly HarnessMode<State>[];
  /** The group of its threads; the harness id by default. */
  readonly resourceId?: string;
  /** The log that stores threads; in memory by default. */
  readonly storage?: EventLog;
  readonly stateSchema?: PublicSchema<State>;
  readonly initialState?: Partial<NoInfer<State> & HarnessSettings>;
  readonly tools?: Dynamic<ToolsInput | undefined>;
  /** The folder in which agents work: a workspace, its options, or a function that returns one for a request. */
  readonly workspace?: Workspace | WorkspaceConfig | WorkspaceFactory;
  readonly subagents?: readonly HarnessSubagent[];
  readonly resolveModel?: (modelId: string) => AiSdkModel | Promise<AiSdkModel>;
  /** Observational memory; forked subagents need it. */
  readonly memory?: Dynamic<Memory> | undefined;
  readonly omConfig?: HarnessOMConfig;
  /** Limits of spending: reaching one ends a run with the error `limit_reached`. */
  readonly limits?: Limits;
  /** Makes the `context` that the tools and the instructions of agents get in each run. */
  readonly contextOf?: ContextOf;
  /** Follows its runs, such as a `new Telemetry({ log, url })` that exports their spans. */
  readonly telemetry?: RunFollower;
  readonly disableBuiltinTools?: readonly BuiltinToolId[];
  readonly heartbeatHandlers?: readonly HeartbeatHandler[];
  /** Generates unique ids of threads and runs. */
  readonly idGenerator?: () => string;
  readonly modelAuthChecker?: ModelAuthChecker;
  readonly modelUseCountProvider?: ModelUseCountProvider;
  readonly modelUseCountTracker?: ModelUseCountTracker;
  readonly customModelCatalogProvider?: CustomModelCatalogProvider;
  readonly toolCategoryResolver?: (toolName: string) => ToolCategory | null;
  readonly threadLock?: ThreadLock;
}

/** Returns the first mode with `default: true`, else the first mode. */
export function defaultMode<State>(modes: readonly HarnessMode<State>[]): HarnessMode<State> | undefined {
  return modes.find(mode => mode.default === true) ?? modes[0];
}
