import type { Message } from '../../projections/message.ts';
import type { ModelTool } from './tool-values.ts';

/** A way in which an agent works, such as planning. */
export interface AgentMode {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

/** A slash command of an agent: `/name argument`. */
export interface AgentCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** The message that it sends; `{argument}` is replaced by the text after the name. */
  readonly sends: string;
}

/** A model request of an agent: its instructions, its tools with their input schemas, and the messages. */
export interface ModelRequest {
  readonly instructions?: string;
  readonly tools: readonly ModelTool[];
  readonly messages: readonly Message[];
}

/** The optional capabilities of an agent, and properties that its callers depend on. */
export interface AgentAbilities {
  /** Whether `invoke` can resume from a `RunState`. */
  readonly resumable?: boolean;
  /** Why a pending relay is closed when a run resumes in another process: the request ended with the earlier one. */
  readonly lostRequests?: string;
  /** Whether an external program makes its calls; calls open when a run ends early get a result that says so. */
  readonly isExternal?: boolean;
  /** Whether its runs accept `additions`: tools that a client executes, and text appended to its instructions. */
  readonly takesAdditions?: boolean;
  /** Whether its runs take `mcpServers`. */
  readonly takesMcpServers?: boolean;
  /** Whether its model is an instance: the id of a default model does not replace it, a chosen one does. */
  readonly hasOwnModel?: boolean;
  /** Whether the same run carries out a plan after its approval; the runs of other agents end with the plan. */
  readonly carriesOutPlans?: boolean;
  /** Whether its runs cannot ask a user: calls that would need approval are denied. */
  readonly asksNobody?: boolean;
  /** Whether it works in the folder of its thread when that has one. */
  readonly usesFolder?: boolean;
}
