import type { OfferedAgents } from '../control/conversations/sent-message.ts';
import type { AgentInfo, SetupInfo } from '../protocols/http-agents.ts';

/** The agents a server offers; the first of the list is the one that is asked when none is named. */
export interface AgentDirectory extends OfferedAgents {
  list(): readonly AgentInfo[];
  /** Which agents and keys of providers are known, and how to add what is missing; absent when nobody can say. */
  setup?(): SetupInfo;
}
