import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { Supervisor } from '../control/index.ts';
import { visibleUrl } from '../log/index.ts';
import { type AccessToken, type LogStyle, type RunningServer, startServer } from '../server/index.ts';
import { isOrigin } from '../server/security/cross-origin.ts';
import { tokenOption, tokensIn } from './access-tokens.ts';
import { builtInAgents } from './built-in-agents.ts';
import { folder } from './folder.ts';
import { singletreeHome } from './home.ts';
import { packageVersion } from './package-version.ts';
import { removeRunFolders } from './run-folders.ts';
import { addStoreOptions, openStoreOf, type StoreOptions, storeUrls } from './store-options.ts';

interface ServeOptions extends StoreOptions {
  readonly host: string;
  readonly port: number;
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
  const command = program.command('serve').description('serve the page and the HTTP API (the default command)');
  addStoreOptions(command)
    .option('--host <address>', 'the address to listen on; a non-local address requires a token', '127.0.0.1')
    .option('--port <number>', 'the port; 0 selects a free one', portNumber, 4747)
    .addOption(tokenOption())
    .option('--allow-host <name>', 'a host name that remote clients may use (repeatable)', collect)
    .option('--cors <origin>', 'the origin of a page elsewhere that may use the server (repeatable)', origins)
    .addOption(
      new Option('--log <style>', 'log requests on stderr: as JSON, pretty, only failed ones, or none')
        .choices(['json', 'pretty', 'errors', 'off'])
        .default('errors'),
    )
    .option('--files <folder>', 'serve files that agents registered from this folder', folder)
    .option('--cwd <folder>', 'the working directory of external agents', folder, '.')
    .option('--yolo', 'let external agents do everything without asking')
    .option('--no-open', 'do not open the page in a browser')
    .action(async (options: ServeOptions) => serve(options));
}

async function serve(options: ServeOptions): Promise<void> {
  const {
    host,
    port,
    token: tokens = tokensIn(process.env),
    allowHost: hosts = [],
    cors = [],
    log: logStyle,
    files,
    open,
    cwd,
    yolo = false,
  } = options;
  const { store, live } = storeUrls(options);
  const log = await openStoreOf(options);
  const agents = await builtInAgents({ home: singletreeHome(), cwd: resolve(cwd), yolo });
  const supervisor = new Supervisor({ log, agents: agents.all });
  let server: RunningServer;
  try {
    const webRoot = fileURLToPath(new URL('../web', import.meta.url));
    server = await startServer({
      log,
      control: supervisor,
      agents,
      host,
      port,
      webRoot,
      hosts,
      cors,
      logStyle,
      version: packageVersion(),
      secrets: secretsIn(process.env),
      tokens,
      ...(files !== undefined && { filesRoot: resolve(files) }),
      onDelete: (_, runIds) => removeRunFolders(singletreeHome(), runIds),
    });
  } catch (error) {
    await log.close();
    throw error;
  }
  const recovered = await supervisor.recover();
  await server.resume();
  console.log(`Singletree is at ${server.url}`);
  console.log(`  log      ${visibleUrl(store)}`);
  if (live !== undefined) console.log(`  live     ${visibleUrl(live)}`);
  console.log(
    `  agents   ${agents
      .list()
      .map(agent => agent.id)
      .join(', ')}${agents.hint}`,
  );
  if (recovered.length > 0)
    console.log(`  continued ${recovered.length} run${recovered.length === 1 ? '' : 's'} that had been interrupted`);
  console.log('Press Ctrl-C to stop: open runs resume at the next start.');
  if (open && process.stdout.isTTY) openInBrowser(server.url);
  await untilStopped();
  await server.close();
  await supervisor.close();
  await log.close();
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
