import type { Client } from '../../src/client/index.ts';
import type { AgentInfo } from '../../src/protocols/index.ts';

/** What every page of the app is given. */
export interface PageProps {
  readonly client: Client;
  readonly agents: readonly AgentInfo[];
  /** Reads the list of conversations again. */
  readonly refresh: () => void;
  /** Shows the list of conversations on a narrow screen. */
  readonly onMenu: () => void;
}
