import type { Agent } from '../../agents/contract/agent.ts';
import type { Redactor } from '../../agents/redaction/redactor.ts';
import type { RuleSelectors } from '../../projections/presentation/describe-rule.ts';
import type { AvailableModel } from '../../control/harness/settings/models.ts';
import type { Clock } from '../../agents/clock.ts';
import type { SupervisorOptions } from '../../control/supervision/supervisor-options.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { KeySettings } from '../keys/key-map.ts';
import type { Density } from '../rows/tool-row.ts';
import type { Styling } from '../screen/styled-line.ts';

/** An agent that a chat can talk with, ours or an external one. */
export interface ChatAgent {
  readonly id: string;
  /** Whether it has its own models, whose names only it knows. */
  readonly hasOwnModels: boolean;
  /** The model that the person named for it. */
  readonly model?: string;
  readonly agent: Agent;
}

/** The agents that a person can choose from. */
export interface ChatAgents {
  list(): Promise<readonly { readonly id: string; readonly name: string; readonly detail?: string }[]>;
  /** Throws when the agent is unknown or cannot be used here. */
  open(agentId: string): Promise<ChatAgent>;
  /** Returns the agent of a thread; undefined when none has worked in it. */
  agentOf(threadId: string): Promise<string | undefined>;
}

/** A rule about calls, with its source. */
interface SourcedRule extends RuleSelectors {
  readonly policy: string;
  readonly source: string;
  /** Of a rule that was saved for all conversations. */
  readonly id?: string | undefined;
}

/** The rules of the folder of a chat. */
interface ChatRules {
  /** Returns the rules, and the outcome of a call that no rule matches. */
  list(): Promise<{ readonly rules: readonly SourcedRule[]; readonly fallback: SourcedRule }>;
  /** Removes a rule that was saved for all conversations; throws `not_found`. */
  remove(id: string): void;
}

/** The options of a chat. */
export interface ChatOptions {
  readonly log: EventLog;
  /** Hides secrets in files that the person exports; nothing is hidden when absent. */
  readonly redactor?: Redactor;
  /** The agent of the first thread. */
  readonly agent: ChatAgent;
  readonly agents: ChatAgents;
  /** Follows the runs of the chat. */
  readonly telemetry?: SupervisorOptions['telemetry'];
  /** The spending limits of runs. */
  readonly limits?: SupervisorOptions['limits'];
  /** The user's folder. */
  readonly cwd: string;
  /** The data folder: history and drafts. */
  readonly home: string;
  /** The thread to open; a new one by default. */
  readonly threadId?: string | undefined;
  readonly styling: Styling;
  readonly clock: Clock;
  /** Whether the chat starts in full-screen mode. */
  readonly isFullscreen?: boolean;
  /** The user's key bindings. */
  readonly keys?: KeySettings | undefined;
  /** How much of calls is shown; normal when absent. */
  readonly density?: Density | undefined;
  /** Returns the models for agents that define none. */
  readonly listModels: () => Promise<readonly AvailableModel[]>;
  /** Returns how many tokens the context of a model takes; undefined when that is not known. */
  readonly contextSize?: ((modelId: string) => number | undefined) | undefined;
  /**
   * Asks on the terminal for the key of a provider, stores and tests it; without a provider it lists them. Returns what the
   * person should know. Keys cannot be stored when absent.
   */
  readonly enterKey?: ((provider: string) => Promise<string>) | undefined;
  /** Who names conversations: the first words of the message by default. */
  readonly titles?: 'model' | 'message' | undefined;
  /** The rules in effect; without it they cannot be listed. */
  readonly rules?: ChatRules | undefined;
  /** Resolves when the store can be used, and rejects when it cannot. */
  readonly probeStore: () => Promise<unknown>;
  /** Calls `listener` with what the user needs to know about the store while the chat runs. */
  readonly storeNotices: (listener: (text: string) => void) => void;
  /** Sentences for the person at the start. */
  readonly problems?: readonly string[] | undefined;
  /** Returns the command that opens a thread again, with its agent. */
  readonly resumeCommand: (threadId: string, agentId: string) => string;
}
