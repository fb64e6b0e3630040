import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { Supervisor } from '../control/index.ts';
import { SqliteLog } from '../log/index.ts';
import { type LogStyle, type RunningServer, startServer } from '../server/index.ts';
import { builtInAgents } from './built-in-agents.ts';
import { folder } from './folder.ts';
import { singletreeHome } from './home.ts';
import { packageVersion } from './package-version.ts';
import { removeRunFolders } from './run-folders.ts';

interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly token?: string;
  readonly allowHost?: readonly string[];
  readonly log: LogStyle;
  readonly files?: string;
  readonly db: string;
  readonly open: boolean;
  readonly cwd: string;
  readonly yolo?: boolean;
}

/** Adds `singletree serve`, the default: the server and its page on this machine. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve the page and the HTTP interface; also when no command is named')
    .option('--host <address>', 'the address to listen on; any but this machine needs a token', '127.0.0.1')
    .option('--port <number>', 'the port; 0 takes a free one', portNumber, 4747)
    .option('--db <file>', 'the log to use', join(singletreeHome(), 'singletree.db'))
    .addOption(new Option('--token <token>', 'who shows this token is let in').env('SINGLETREE_TOKEN'))
    .option('--allow-host <name>', 'a name the server may be called by from other machines (again for more)', collect)
    .addOption(
      new Option('--log <style>', 'tell requests on stderr: as JSON, pretty, only those that failed, or off')
        .choices(['json', 'pretty', 'errors', 'off'])
        .default('errors'),
    )
    .option('--files <folder>', 'let files that agents registered be downloaded from this folder', folder)
    .option('--cwd <folder>', 'the folder that external agents work in', folder, '.')
    .option('--yolo', 'let external agents do everything without asking')
    .option('--no-open', 'do not open the page in a browser')
    .action(async (options: ServeOptions) => serve(options));
}

async function serve(options: ServeOptions): Promise<void> {
  const { host, port, token, allowHost: hosts = [], log: logStyle, files, db, open, cwd, yolo = false } = options;
  const log = await SqliteLog.open(db);
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
      logStyle,
      version: packageVersion(),
      secrets: secretsIn(process.env),
      ...(token && { tokens: [{ token }] }),
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
  console.log(`  log      ${db}`);
  console.log(
    `  agents   ${agents
      .list()
      .map(agent => agent.id)
      .join(', ')}${agents.hint}`,
  );
  if (recovered.length > 0)
    console.log(`  continued ${recovered.length} run${recovered.length === 1 ? '' : 's'} that had been cut off`);
  console.log('Press Ctrl-C to stop: open runs go on at the next start.');
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

/** Opens the page where that is possible; where it is not, the address was printed. */
function openInBrowser(url: string): void {
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const browser = spawn(command, [url], { stdio: 'ignore', detached: true });
  browser.on('error', () => {});
  browser.unref();
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The values of the environment that nobody should read in an event or a log. */
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
