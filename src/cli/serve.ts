import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { Supervisor } from '../control/index.ts';
import { SqliteLog } from '../log/index.ts';
import { type RunningServer, startServer } from '../server/index.ts';
import { builtInAgents } from './built-in-agents.ts';
import { singletreeHome } from './home.ts';
import { removeRunFolders } from './run-folders.ts';

interface ServeOptions {
  readonly port: number;
  readonly db: string;
  readonly open: boolean;
  readonly cwd: string;
  readonly yolo?: boolean;
}

/** Adds `singletree serve`, the default: the server and its page on this machine. */
export function addServeCommand(program: Command): void {
  program
    .command('serve', { isDefault: true })
    .description('serve the page and the HTTP interface on this machine')
    .option('--port <number>', 'the port; 0 takes a free one', portNumber, 4747)
    .option('--db <file>', 'the log to use', join(singletreeHome(), 'singletree.db'))
    .option('--cwd <folder>', 'the folder that external agents work in', '.')
    .option('--yolo', 'let external agents do everything without asking')
    .option('--no-open', 'do not open the page in a browser')
    .action(async (options: ServeOptions) => serve(options));
}

async function serve({ port, db, open, cwd, yolo = false }: ServeOptions): Promise<void> {
  const log = new SqliteLog(db);
  const agents = await builtInAgents({ home: singletreeHome(), cwd: resolve(cwd), yolo });
  const supervisor = new Supervisor({ log, agents: agents.all });
  let server: RunningServer;
  try {
    const webRoot = fileURLToPath(new URL('../web', import.meta.url));
    server = await startServer({
      log,
      control: supervisor,
      agents,
      port,
      webRoot,
      onDelete: (_, runIds) => removeRunFolders(singletreeHome(), runIds),
    });
  } catch (error) {
    await log.close();
    throw error;
  }
  const recovered = await supervisor.recover();
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

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('expected a number from 0 to 65535');
}
