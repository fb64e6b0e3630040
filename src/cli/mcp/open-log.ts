import { openSite } from '../settings/site.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import type { McpGrant } from '../../server/mcp/mcp-access.ts';
import { Site } from '../../server/site.ts';
import { installedAgents } from '../agents/installed-agents.ts';
import { packageVersion } from '../package-version.ts';
import { loadSettings } from '../settings/settings.ts';
import { type StoreOptions } from '../settings/store-options.ts';

/** The log that a command serves, with the agents that clients may run. */
export interface OpenedLog {
  readonly site: Site;
  /** Detaches the runs, so that they can be resumed, and closes the log. */
  close(): Promise<void>;
}

const noAgents = { list: () => [], get: () => undefined, all: [], close: async () => {} };

/** Opens the log, read-only when it cannot be written, and the agents when clients may run them. */
export async function openLog(
  options: StoreOptions & { readonly folder: string; readonly allow?: readonly McpGrant[] },
): Promise<OpenedLog> {
  const { allow = [] } = options;
  const settings = await loadSettings(options.folder);
  const opened = await openSite(settings, options, { allowReadOnly: allow.length === 0, sendsSpans: false });
  const { log, secrets, supervision } = opened;
  const agents = allow.includes('run') ? await installedAgents({ ...settings, yolo: false }) : noAgents;
  const supervisor = new Supervisor({ ...supervision, agents: agents.all });
  const stop = new AbortController();
  const version = packageVersion();
  return {
    site: new Site({ log, control: supervisor, agents, secrets, signal: stop.signal, version }),
    close: async () => {
      stop.abort();
      await supervisor.close();
      await agents.close();
      await opened.close();
    },
  };
}
