import type { Client } from '../../../src/client/client.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';

/** The props of every page. */
export interface PageProps {
  readonly client: Client;
  readonly agents: readonly AgentInfo[];
  /** Shows the list of conversations on a narrow screen. */
  readonly onMenu: () => void;
}
