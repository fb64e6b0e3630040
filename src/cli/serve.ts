import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Limits } from '../agents/index.ts';
import type { Config } from '../config/index.ts';
import { Supervisor } from '../control/index.ts';
import { SingletreeError } from '../events/index.ts';
import { passwordsOf, visibleUrl } from '../log/index.ts';
import { type AccessToken, type LogStyle, type RunningServer, startServer } from '../server/index.ts';
import { isOrigin } from '../server/security/cross-origin.ts';
import { configuredTokens, tokenOption, tokensIn } from './access-tokens.ts';
import { folder } from './folder.ts';
import { installedAgents } from './installed-agents.ts';
import { packageVersion } from './package-version.ts';
import { removeRunFolders } from './run-folders.ts';
import { loadSettings } from './settings.ts';
import { addStoreOptions, openStoreOf, type StoreOptions, storeUrls } from './store-options.ts';
import { listedCommand } from './command-list.ts';

interface ServeOptions extends StoreOptions {
  readonly host?: string;
  readonly port?: number;
  readonly token?: readonly AccessToken[];
  readonly allowHost?: readonly string[];
  readonly cors?: readonly string[];
  readonly log: LogStyle;
  readonly files?: string;
  readonly open: boolean;
  readonly cwd: string;
  readonly yolo?: boolean;
}

/** Adds `singletree serve`, the default: the server and its page on this machine. */
export function addServeCommand(program: Command): void {
  const command = listedCommand(program, 'serve');
  addStoreOptions(command)
    .option('--host <address>', 'the address to listen on; a non-local address requires a token (default: 127.0.0.1)')
    .option('--port <number>', 'the port; 0 selects a free one (default: 4747, or the next free one)', portNumber)
    .addOption(tokenOption())
    .option('--allow-host <name>', 'a host name that remote clients may use (repeatable)', collect)
    .option('--cors <origin>', 'the origin of a page elsewhere that may use the server (repeatable)', origins)
    .addOption(
      new Option('--log <style>', 'log requests on stderr: as JSON, pretty, only failed ones, or none')
        .choices(['json', 'pretty', 'errors', 'off'])
        .default('errors'),
    )
    .option('--files <folder>', 'serve files that agents registered from this folder', folder)
    .option('--cwd <folder>', 'the folder that agents work in', folder, '.')
    .option('--yolo', 'let external agents do everything without asking')
    .option('--no-open', 'do not open the page in a browser')
    .action(async (options: ServeOptions) => serve(options));
}

async function serve(options: ServeOptions): Promise<void> {
  const { cors = [], log: logStyle, files, open, yolo = false } = options;
  const settings = await loadSettings(options.cwd);
  const { config, home } = settings;
  const { store, live } = storeUrls(options, process.env, config);
  const log = await openStoreOf(options, config);
  const agents = await installedAgents({ ...settings, yolo });
  const supervisor = new Supervisor({
    log,
    agents: agents.all,
    ...(config.limits && { limits: config.limits as Limits }),
  });
  const webRoot = fileURLToPath(new URL('../web', import.meta.url));
  let server: RunningServer;
  try {
    server = await listen(options.port ?? config.server?.port, port =>
      startServer({
        log,
        control: supervisor,
        agents,
        host: options.host ?? config.server?.host ?? '127.0.0.1',
        port,
        webRoot,
        ...(config.page?.title !== undefined && { pageTitle: config.page.title }),
        hosts: options.allowHost ?? config.server?.allowHosts ?? [],
        cors: [...cors, ...(config.server?.cors ?? [])],
        logStyle,
        version: packageVersion(),
        secrets: [...secretsIn(process.env), ...passwordsIn([store, live])],
        tokens: tokensFor(options, config),
        ...(files !== undefined && { filesRoot: resolve(files) }),
        snapshots: join(home, 'snapshots'),
        onDelete: (_, runIds) => removeRunFolders(home, runIds),
      }),
    );
  } catch (error) {
    await agents.close();
    await log.close();
    throw error;
  }
  const recovered = await supervisor.recover();
  await server.resume();
  const ids = agents.list().map(agent => agent.id);
  console.log(`Singletree is at ${server.url}`);
  console.log(`  log      ${visibleUrl(store)}`);
  if (live !== undefined) console.log(`  live     ${visibleUrl(live)}`);
  console.log(`  agents   ${ids.join(', ')}${agents.hint}`);
  for (const problem of agents.problems) console.log(`  problem  ${problem}`);
  if (recovered.length > 0)
    console.log(`  continued ${recovered.length} run${recovered.length === 1 ? '' : 's'} that had been interrupted`);
  console.log('Press Ctrl-C to stop: open runs resume at the next start.');
  if (open && process.stdout.isTTY) openInBrowser(server.url);
  await untilStopped();
  await server.close();
  await supervisor.close();
  await agents.close();
  await log.close();
}

/** Options go before the environment, which goes before the configuration. */
function tokensFor({ token }: ServeOptions, config: Config): readonly AccessToken[] {
  if (token !== undefined) return token;
  const fromEnvironment = tokensIn(process.env);
  return fromEnvironment.length > 0 ? fromEnvironment : configuredTokens(config, process.env);
}

const usualPort = 4747;
const mostPorts = 20;

/** Listens on a port; without one that was asked for, on the first free one from the usual one on. */
async function listen(
  wanted: number | undefined,
  start: (port: number) => Promise<RunningServer>,
): Promise<RunningServer> {
  if (wanted !== undefined) return start(wanted);
  for (let port = usualPort; ; port++)
    try {
      const server = await start(port);
      if (port > usualPort) console.log(`Port ${usualPort} is taken: using ${port}.`);
      return server;
    } catch (error) {
      if (!SingletreeError.is(error, 'address_unavailable') || port >= usualPort + mostPorts) throw error;
    }
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

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function origins(value: string, before: readonly string[] = []): readonly string[] {
  if (isOrigin(value)) return [...before, value];
  throw new InvalidArgumentError('expected an exact origin, such as "http://localhost:3000", without a path or *');
}

/** The passwords of the store and its live tail; short ones would be found in harmless texts. */
function passwordsIn(urls: readonly (string | undefined)[]): string[] {
  return urls.flatMap(url => (url === undefined ? [] : passwordsOf(url))).filter(({ length }) => length >= 6);
}

/** The secret values of the environment, which must not appear in an event or a log. */
function secretsIn(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    /(KEY|TOKEN|SECRET|PASSWORD)$/.test(name) && value !== undefined && value.length >= 12 ? [value] : [],
  );
}

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('expected a number from 0 to 65535');
}
