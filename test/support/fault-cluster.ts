import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from './bare-environment.ts';
import { FaultProxy } from './fault-proxy.ts';
import { freePort, type PrivateServer, startPostgres, startRedis } from './private-servers.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const agents = new URL('./fault-agents.mjs', import.meta.url).href;

/** One `singletree serve` process, which is killed, paused and started again on its port. */
export class ClusterServer {
  readonly url: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #stderr: string[] = [];
  #child: ChildProcess | undefined;
  isPaused = false;

  constructor(port: number, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.url = `http://127.0.0.1:${port}`;
    this.#args = ['serve', '--no-open', '--port', String(port), ...args];
    this.#env = env;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** The last lines that it wrote to stderr. */
  get stderr(): string {
    return this.#stderr.slice(-20).join('\n');
  }

  /** Starts it, again when it ends by itself, and resolves when it answers. */
  async start(): Promise<void> {
    while (this.#child === undefined) {
      const child = spawn(process.execPath, [command, ...this.#args], { env: this.#env, stdio: 'pipe' });
      this.#child = child;
      createInterface({ input: child.stderr }).on('line', line => this.#stderr.push(line));
      const lines = createInterface({ input: child.stdout });
      const isUp = new Promise<boolean>(resolve => {
        lines.on('line', line => line.startsWith('Singletree is at') && resolve(true));
        child.once('exit', () => resolve(false));
      });
      if (await isUp) return;
      if (child.exitCode === 2) throw new Error(`\`singletree serve\` refused its arguments.\n${this.stderr}`);
      // A database that is down when it starts ends it with an error: then it is started again, as a supervisor does.
      if (this.#child === child) this.#child = undefined;
    }
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.isPaused = false;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    child.kill('SIGCONT');
    await ended;
  }

  pause(): void {
    this.isPaused = this.#child?.kill('SIGSTOP') ?? false;
  }

  resume(): void {
    this.isPaused = false;
    this.#child?.kill('SIGCONT');
  }
}

/** Three servers on one PostgreSQL and one Redis, with wires between them that can be cut. */
export class FaultCluster {
  readonly servers: readonly ClusterServer[];
  readonly postgres: PrivateServer;
  readonly redis: PrivateServer;
  readonly wires: { readonly postgres: FaultProxy; readonly redis: FaultProxy };
  readonly #folder: string;

  private constructor(
    folder: string,
    servers: readonly ClusterServer[],
    stores: Pick<FaultCluster, 'postgres' | 'redis' | 'wires'>,
  ) {
    this.#folder = folder;
    this.servers = servers;
    this.postgres = stores.postgres;
    this.redis = stores.redis;
    this.wires = stores.wires;
  }

  static async start(tokens: readonly string[]): Promise<FaultCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'singletree-faults-'));
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const wires = {
      postgres: await FaultProxy.open(() => postgres.url),
      redis: await FaultProxy.open(() => redis.url),
    };
    const stores = ['--store', wires.postgres.through(postgres.url), '--live', wires.redis.through(redis.url)];
    const servers: ClusterServer[] = [];
    for (const name of ['a', 'b', 'c']) {
      const home = join(folder, name);
      mkdirSync(home);
      writeFileSync(join(home, 'singletree.config.mjs'), `export { config as default } from '${agents}';\n`);
      const env = {
        ...bareEnvironment(),
        HOME: home,
        SINGLETREE_HOME: home,
        SINGLETREE_FAULT_EFFECTS: join(folder, 'effects'),
      };
      const options = [...stores, ...tokens.flatMap(token => ['--token', token]), '--cwd', home];
      servers.push(new ClusterServer(await freePort(), options, env));
    }
    const cluster = new FaultCluster(folder, servers, { postgres, redis, wires });
    await Promise.all(servers.map(server => server.start()));
    return cluster;
  }

  /** The ids of the calls that the tools executed, as often as they did. */
  effects(): string[] {
    try {
      return readFileSync(join(this.#folder, 'effects'), 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map(server => server.end()));
    await Promise.all([this.wires.postgres.close(), this.wires.redis.close()]);
    await Promise.all([this.postgres.close(), this.redis.close()]);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
