import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { Agent } from '../../agents/agent.ts';
import type { EventLog } from '../../log/index.ts';
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
import type { RequestContext } from './tools/request-context.ts';
import type { PublicSchema } from './arguments/standard-schema.ts';
import type { HarnessSettings } from './settings/harness-settings.ts';

/** A value, or a function that makes it for a request. */
export type Dynamic<Value> = Value | ((context: { readonly requestContext: RequestContext }) => Value | Promise<Value>);

/** The state of a harness, as its schema describes it. */
export type HarnessStateSchema<State> = State;

/** A way to work: an agent with a name and defaults. */
export interface HarnessMode<State = Record<string, unknown>> {
  readonly id: string;
  readonly name?: string;
  readonly default?: boolean;
  readonly defaultModelId?: string;
  /** As hex, such as `#7c3aed`. */
  readonly color?: string;
  readonly agent: Agent | ((state: Readonly<State>) => Agent);
}

/** A kind of subagent that the `subagent` tool can start. */
export interface HarnessSubagent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly instructions: Dynamic<string>;
  readonly tools?: ToolsInput;
  /** Names of the harness's tools that it may use too. */
  readonly allowedHarnessTools?: readonly string[];
  /** Names of the workspace's tools that it may use; all when absent. */
  readonly allowedWorkspaceTools?: readonly string[];
  readonly defaultModelId?: string;
  /** How many steps it may take; 50 when absent and `stopWhen` is too. */
  readonly maxSteps?: number;
  /** Ends it between two steps when one of them holds for the steps it has taken. */
  readonly stopWhen?: StopCondition | readonly StopCondition[];
  /** Whether it goes on with a copy of the conversation; false when absent. */
  readonly forked?: boolean;
}

/** Defaults of observational memory. */
export interface HarnessOMConfig {
  readonly defaultObserverModelId?: string;
  readonly defaultReflectorModelId?: string;
  readonly defaultObservationThreshold?: number;
  readonly defaultReflectionThreshold?: number;
}

/** Keeps two processes from having a thread open at once; `acquire` throws when it is held. */
export interface ThreadLock {
  acquire(threadId: string): void | Promise<void>;
  release(threadId: string): void | Promise<void>;
}

/** Options that are known and cannot be served yet: a harness that is given one is refused with `not_available`. */
export interface UnavailableOptions {
  readonly memory?: unknown;
  readonly workspace?: unknown;
  readonly browser?: unknown;
  readonly pubsub?: unknown;
  readonly observability?: unknown;
}

/** The options of a harness. */
export interface HarnessConfig<State = Record<string, unknown>> extends UnavailableOptions {
  readonly id: string;
  /** At least one. */
  readonly modes: readonly HarnessMode<State>[];
  /** What threads are grouped by; the harness's id when absent. */
  readonly resourceId?: string;
  /** Where threads are kept; in memory when absent, and then gone with the harness. */
  readonly storage?: EventLog;
  readonly stateSchema?: PublicSchema<State>;
  readonly initialState?: Partial<NoInfer<State> & HarnessSettings>;
  readonly tools?: Dynamic<ToolsInput | undefined>;
  readonly subagents?: readonly HarnessSubagent[];
  readonly resolveModel?: (modelId: string) => LanguageModelV3 | Promise<LanguageModelV3>;
  readonly omConfig?: HarnessOMConfig;
  readonly disableBuiltinTools?: readonly BuiltinToolId[];
  readonly heartbeatHandlers?: readonly HeartbeatHandler[];
  /** Makes the ids of threads and runs; each has to be another one. */
  readonly idGenerator?: () => string;
  readonly modelAuthChecker?: ModelAuthChecker;
  readonly modelUseCountProvider?: ModelUseCountProvider;
  readonly modelUseCountTracker?: ModelUseCountTracker;
  readonly customModelCatalogProvider?: CustomModelCatalogProvider;
  readonly toolCategoryResolver?: (toolName: string) => ToolCategory | null;
  readonly threadLock?: ThreadLock;
}

/** The mode a harness starts in: the first that says so, else the first. */
export function defaultMode<State>(modes: readonly HarnessMode<State>[]): HarnessMode<State> | undefined {
  return modes.find(mode => mode.default === true) ?? modes[0];
}

/** What a dynamic option is for a request. */
export async function resolveDynamic<Value>(value: Dynamic<Value>, requestContext: RequestContext): Promise<Value> {
  return typeof value === 'function'
    ? (value as (context: { requestContext: RequestContext }) => Value | Promise<Value>)({ requestContext })
    : value;
}
