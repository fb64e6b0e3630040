import type { Message } from '../../projections/message.ts';
import type { ModelTool } from './tool-values.ts';

/** A way in which an agent works, such as planning. */
export interface AgentMode {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

/** Something that can be asked of an agent with a slash: `/name argument`. */
export interface AgentCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** The message that it sends; `{argument}` stands for what is written after it. */
  readonly sends: string;
}

/** What an agent sends a model: its instructions, its tools with the schemas of their input, and the messages. */
export interface ModelRequest {
  readonly instructions?: string;
  readonly tools: readonly ModelTool[];
  readonly messages: readonly Message[];
}

/** What an agent can do beyond running, and what its callers have to know about it. */
export interface AgentAbilities {
  /** Whether `invoke` can resume from a `RunState`. */
  readonly resumable?: boolean;
  /** Why a pending relay is closed when a run resumes in another process: the request ended with the earlier one. */
  readonly lostRequests?: string;
  /** Whether a program of its own makes its calls: one that is open when a run ends early gets a result that says so. */
  readonly isExternal?: boolean;
  /** Whether its runs take `additions`: tools that a client executes, and words that follow its instructions. */
  readonly takesAdditions?: boolean;
  /** Whether its runs take `mcpServers`. */
  readonly takesMcpServers?: boolean;
  /** Whether its model is an instance: the id of a default model does not replace it, a chosen one does. */
  readonly hasOwnModel?: boolean;
  /** Whether a run goes on to carry out its plan when that is approved; other agents end it, and are asked to. */
  readonly carriesOutPlans?: boolean;
  /** Whether nobody answers what its runs ask: what they would ask is denied. */
  readonly asksNobody?: boolean;
  /** Whether it works in the folder of its thread when that has one. */
  readonly usesFolder?: boolean;
}
