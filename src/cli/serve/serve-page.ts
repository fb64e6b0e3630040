import { shortFolder } from '../../control/same-folder.ts';
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../../config/config-schema.ts';
import { StoredProviders } from '../../config/stored-providers.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import type { Webhook } from '../../control/webhooks/webhook.ts';
import { Worktrees } from '../../control/worktrees/worktrees.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { visibleUrl } from '../../log/store/store-url.ts';
import type { AccessToken } from '../../server/security/access.ts';
import type { LogStyle } from '../../server/request-log.ts';
import { type RunningServer, startServer } from '../../server/start-server.ts';
import type { McpGrant } from '../../server/mcp/mcp-access.ts';
import { isLoopback } from '../../server/security/request-guard.ts';
import { configuredTokens, tokensIn } from './access-tokens.ts';
import { configuredWebhooks } from './configured-webhooks.ts';
import { exampleProject } from './example-project.ts';
import { FolderRoots, foundInFolder } from './folder-roots.ts';
import { type JoinedServer, joinServer, type RunningServerNote, RunningServers } from './running-servers.ts';
import { ProjectSites } from './project-sites.ts';
import { packageVersion } from '../package-version.ts';
import { removeRunFolders } from '../run/run-record.ts';
import { singletreeHome } from '../settings/home.ts';
import { ensureMachineToken, machineTokenFile } from '../settings/machine-token.ts';
import { type DiagnosticsOptions, openSite } from '../settings/site.ts';
import { ProviderSettings } from '../settings/provider-settings.ts';
import { askForSettings } from '../settings/settings.ts';
import { findCommandCall, startLines } from './start-screen.ts';
import { type StoreOptions, storeUrls } from '../settings/store-options.ts';
import { defined } from '../../base/defined.ts';
import { standardOutput } from '../../control/standard-output.ts';

export interface ServeOptions extends StoreOptions, DiagnosticsOptions {
  readonly host?: string;
  readonly port?: number;
  /** False with `--no-token`. */
  readonly token?: readonly AccessToken[] | false;
  readonly allowHost?: readonly string[];
  readonly cors?: readonly string[];
  readonly log: LogStyle;
  readonly mcpAllow?: readonly McpGrant[];
  readonly files?: string;
  readonly open: boolean;
  readonly cwd: string;
  /** Work in the example project instead. */
  readonly example?: boolean;
  readonly yolo?: boolean;
  readonly json?: boolean;
}

/** Serves the page and the HTTP API until it is stopped. */
export async function serve(options: ServeOptions): Promise<void> {
  const { cors = [], log: logStyle, files, open, yolo = false, json = false } = options;
  const folder = options.example === true ? await exampleProject(singletreeHome()) : options.cwd;
  const opened = await askForSettings(folder);
  const { settings } = opened;
  const { config, home } = settings;
  const host = options.host ?? config.server?.host ?? '127.0.0.1';
  const hosts = options.allowHost ?? config.server?.allowHosts ?? [];
  const named = tokensFor(options, config);
  const isOwn = isOwnMachine([host, ...hosts], named);
  // Other users of this machine and programs of agents do not have this token.
  const machineToken = isOwn && options.token !== false ? ensureMachineToken(home) : undefined;
  const tokens = machineToken === undefined ? named : [{ token: machineToken }];
  const { store, live } = storeUrls(options, process.env, config);
  const wanted = options.port ?? config.server?.port;
  const servers = new RunningServers(home);
  const running = await servers.list();
  const here = { folder: settings.cwd, store: visibleUrl(store) };
  const matching = asksForAnother(options)
    ? []
    : running.filter(each => each.store === here.store && (wanted ?? each.port) === each.port);
  const joined = await joinServer(matching, { folder: settings.cwd, home, token: machineToken });
  if (joined !== undefined) return openRunning(joined, options, machineToken);
  const site = await openSite(settings, options, { hidesSecrets: false });
  const { log, secrets, supervision } = site;
  const { telemetry, onDiagnostic } = supervision;
  const worktrees = new Worktrees({
    home,
    folder: settings.cwd,
    environment: isOwn ? settings.environment : { ...settings.environment, base: 'short' },
    ...defined({ setup: config.worktree?.setup }),
  });
  const roots = new FolderRoots(config.server?.roots ?? [homedir()]);
  const agents = await ProjectSites.open({ start: opened, roots, worktrees, yolo, isShared: !isOwn });
  const supervisor = new Supervisor({ ...supervision, agents: ({ agentId }) => agents.get(agentId) });
  let server: RunningServer;
  let webhooks: readonly Webhook[] = [];
  try {
    webhooks = configuredWebhooks(config, { log, secrets, env: process.env, onDiagnostic });
    server = await listen(wanted, port =>
      startServer({
        log,
        control: supervisor,
        agents,
        host,
        port,
        ...defined({ pageTitle: config.page?.title }),
        titles: config.titles ?? 'model',
        hosts,
        cors: [...cors, ...(config.server?.cors ?? [])],
        logStyle,
        version: packageVersion(),
        secrets,
        tokens,
        ...defined({ telemetry, onDiagnostic, mcpAllow: options.mcpAllow }),
        ...(files !== undefined && { filesRoot: resolve(files) }),
        ...(isOwn && { sessions: { home: homedir(), environment: process.env } }),
        folder: settings.cwd,
        snapshots: join(home, 'snapshots'),
        worktrees,
        ...((isOwn || config.server?.roots !== undefined) && { projects: agents }),
        ...(isOwn && { providers: new ProviderSettings(settings, () => agents.refresh()) }),
        onDelete: (_, runIds) => removeRunFolders(home, runIds),
      }),
    );
  } catch (error) {
    await agents.close();
    await site.close();
    const other = running.find(each => each.port === wanted);
    if (other === undefined || !SingletreeError.is(error, 'address_unavailable')) throw error;
    const why = `Port ${takenBy(other.port, running).slice('port '.length)}: ${other.url}. Choose another one with --port.`;
    throw new SingletreeError('address_unavailable', why, { cause: error });
  }
  const { url } = server;
  const port = Number(new URL(url).port);
  const stopWatching = new StoredProviders(home).onChange(stored => {
    server.hideSecrets(stored);
    telemetry?.hideSecrets(stored);
    void agents.refresh().catch(error => onDiagnostic?.({ code: 'refresh_failed', cause: error }));
  });
  const removeNote = await servers.add({ url, port, ...here, pid: process.pid });
  const recovered = await supervisor.recover();
  await server.resume();
  for (const webhook of webhooks) webhook.start();
  const shown = {
    version: packageVersion(),
    url,
    ...(machineToken !== undefined && { tokenFile: shortFolder(machineTokenFile(home)) }),
    taken: wanted === undefined && port !== usualPort ? takenBy(usualPort, running) : undefined,
    folder: shortFolder(settings.cwd),
    found: foundInFolder(settings.cwd),
    store: here.store,
    live: live && visibleUrl(live),
    agents: agents.list(),
    models: agents.start.models,
    problems: agents.start.problems,
    resumed: recovered.length,
    call: await findCommandCall(process.env),
  };
  const link = machineToken && `${server.url}/login?token=${machineToken}`;
  if (json) await standardOutput.writeJson({ ...shown, agents: shown.agents.map(({ id }) => id) });
  else
    await standardOutput.write(
      `${startLines({ ...shown, ...(standardOutput.isTerminal && defined({ link })) }).join('\n')}\n`,
    );
  if (open && standardOutput.isTerminal)
    openInBrowser(machineToken === undefined ? server.url : server.createLink(machineToken));
  await untilStopped();
  stopWatching();
  await removeNote();
  await Promise.all(webhooks.map(webhook => webhook.close()));
  await server.close();
  await supervisor.close();
  await agents.close();
  await site.close();
}

/** Whether only the user of this machine can reach the server. */
function isOwnMachine(names: readonly string[], tokens: readonly AccessToken[]): boolean {
  return tokens.length === 0 && names.every(isLoopback);
}

/** Options take precedence over the environment, which takes precedence over the configuration. */
function tokensFor({ token }: ServeOptions, config: Config): readonly AccessToken[] {
  if (token !== undefined) return token || [];
  const fromEnvironment = tokensIn(process.env);
  return fromEnvironment.length > 0 ? fromEnvironment : configuredTokens(config, process.env);
}

const usualPort = 4747;
const mostPorts = 20;

/** Listens on the requested port, else on the first free port starting at the default one. */
async function listen(
  wanted: number | undefined,
  start: (port: number) => Promise<RunningServer>,
): Promise<RunningServer> {
  if (wanted !== undefined) return start(wanted);
  for (let port = usualPort; ; port++)
    try {
      return await start(port);
    } catch (error) {
      if (!SingletreeError.is(error, 'address_unavailable') || port >= usualPort + mostPorts) throw error;
    }
}

/** Whether options require a server other than the running one. */
function asksForAnother({ host, token, allowHost, cors, mcpAllow, files, yolo }: ServeOptions): boolean {
  return [host, token, allowHost, cors, mcpAllow, files, yolo].some(option => option !== undefined);
}

/** Opens a folder on the page of a running server instead of starting another one. */
async function openRunning(
  { url, folder, page }: JoinedServer,
  { open, json = false }: ServeOptions,
  token: string | undefined,
): Promise<void> {
  // The browser is already signed in, or the user opens the link.
  const login = `${url}/login?${new URLSearchParams({ token: token ?? '', next: page }).toString()}`;
  const link = standardOutput.isTerminal && token !== undefined ? login : url;
  if (json) await standardOutput.writeJson({ url, folder, isJoined: true });
  else await standardOutput.write(`Singletree is already at ${link}, in ${shortFolder(folder)}.\n`);
  if (open && standardOutput.isTerminal) openInBrowser(url + page);
}

/** Returns a notice about the process that uses a port. */
function takenBy(port: number, running: readonly RunningServerNote[]): string {
  const other = running.find(each => each.port === port);
  return `port ${port} is taken by ${other === undefined ? 'another program' : `Singletree in ${shortFolder(other.folder)}`}`;
}

function untilStopped(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** Opens the page in a browser; ignores failures, because the address was printed. */
function openInBrowser(url: string): void {
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const browser = spawn(command, [url], { stdio: 'ignore', detached: true });
  browser.on('error', () => {});
  browser.unref();
}
