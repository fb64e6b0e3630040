import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { processGuard } from '../../src/agents/process/process-guard.ts';
import { childVariable } from '../../src/agents/process/process-marks.ts';
import { type OwnedFolder, ownedFolder } from './owned-folder.ts';

/** A real server of this process alone, on a free port, with its data in a folder that is removed with it. */
export interface PrivateServer {
  readonly url: string;
  /** The process id of the running server. */
  readonly pid: number;
  /** Ends the server and keeps its data; SIGKILL is a crash. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

const isRoot = process.getuid?.() === 0;
/** Servers refuse to run as root: then they are nobody's. */
const nobody = 65_534;
const identity = isRoot ? { uid: nobody, gid: nobody } : {};

/** The program in PATH or where Debian installs servers; undefined when it is not installed. */
export function findProgram(name: string): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(':'),
    '/usr/local/bin',
    '/usr/bin',
    '/usr/sbin',
    ...versions.map(version => join(debian, version, 'bin')),
  ];
  return folders.map(folder => join(folder, name)).find(path => existsSync(path));
}

/** Installs Debian packages without starting their services; throws when that does not work. */
export function installPackages(packages: readonly string[]): void {
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env, stdio: 'ignore' });
  } finally {
    if (isOurs) rmSync(policy);
  }
}

/** Starts a PostgreSQL server; commits are not flushed to the disk, and survive a crash of the server all the same. */
export async function startPostgres(): Promise<PrivateServer> {
  const [initdb, postgres] = [program('initdb'), program('postgres')];
  const folder = newFolder();
  const data = join(folder.path, 'data');
  const setup = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(initdb, setup, { ...identity, stdio: 'ignore', cwd: folder.path });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'max_connections=200', 'shared_buffers=32MB', 'full_page_writes=off'];
  const args = ['-D', data, '-F', '-p', String(port), '-k', folder.path, ...settings.flatMap(each => ['-c', each])];
  return serve({
    folder,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    command: [postgres, ...args],
    ready: 'database system is ready to accept connections',
    stopSignal: 'SIGINT',
  });
}

/** Starts a Redis server that keeps everything in memory. */
export async function startRedis(): Promise<PrivateServer> {
  const redis = program('redis-server');
  const folder = newFolder();
  const port = await freePort();
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder.path,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  return serve({
    folder,
    url: `redis://127.0.0.1:${port}`,
    command: [redis, ...args],
    ready: 'Ready to accept connections',
    stopSignal: 'SIGTERM',
  });
}

/** Starts nginx with these files, of which `nginx.conf` writes its errors and notices to stderr. */
export async function startNginx(port: number, files: Readonly<Record<string, string>>): Promise<PrivateServer> {
  const nginx = program('nginx');
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  return serve({
    folder,
    url: `http://127.0.0.1:${port}`,
    command: [nginx, '-p', folder.path, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off;'],
    ready: 'start worker process ',
    stopSignal: 'SIGTERM',
  });
}

/** A private SSH server, and how its only user reaches it. */
export interface SshServer extends PrivateServer {
  /** The program and arguments that run a line of words there, in a terminal. */
  readonly clientLine: (words: readonly string[]) => readonly string[];
}

/** Starts an SSH server on a loopback port that only accepts a new key, for the user of this process. */
export async function startSshd(): Promise<SshServer> {
  const sshd = program('sshd');
  const folder = ownedFolder('singletree-service-', {});
  const port = await freePort();
  const [host, key, known, config] = ['host', 'key', 'known', 'sshd_config'].map(name => join(folder.path, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const file of [host, key])
    execFileSync(program('ssh-keygen'), ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file], {
      stdio: 'ignore',
    });
  writeFileSync(known, `[127.0.0.1]:${port} ${readFileSync(`${host}.pub`, 'utf8')}`);
  const settings = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: host,
    AuthorizedKeysFile: `${key}.pub`,
    AuthenticationMethods: 'publickey',
    PermitRootLogin: 'prohibit-password',
    StrictModes: 'no',
    UsePAM: 'no',
    PidFile: 'none',
    PrintMotd: 'no',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  writeFileSync(config, lines.join(''));
  // The server drops its privileges in this folder.
  if (isRoot) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const server = await serve({
    folder,
    url: `ssh://127.0.0.1:${port}`,
    command: [sshd, '-D', '-e', '-f', config],
    ready: 'Server listening on',
    stopSignal: 'SIGTERM',
    user: {},
  });
  const options = ['BatchMode=yes', 'StrictHostKeyChecking=yes', `UserKnownHostsFile=${known}`];
  const client = [
    'ssh',
    '-tt',
    '-q',
    '-F',
    'none',
    '-i',
    key,
    '-p',
    String(port),
    ...options.flatMap(each => ['-o', each]),
  ];
  const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const clientLine = (words: readonly string[]) => [
    ...client,
    `${userInfo().username}@127.0.0.1`,
    words.map(quoted).join(' '),
  ];
  return Object.assign(server, { clientLine });
}

interface ServerPlan {
  readonly folder: OwnedFolder;
  readonly url: string;
  readonly command: readonly [string, ...string[]];
  /** What it prints when it accepts connections. */
  readonly ready: string;
  readonly stopSignal: NodeJS.Signals;
  /** The user it runs as; nobody when this is root, by default. */
  readonly user?: { readonly uid?: number; readonly gid?: number };
}

async function serve({ folder, url, command, ready, stopSignal, user = identity }: ServerPlan): Promise<PrivateServer> {
  let server: ChildProcess | undefined;
  const start = async () => {
    server = startGuarded(command, folder.path, user);
    await printed(server, ready);
    detach(server);
  };
  const stop = async (signal: NodeJS.Signals = stopSignal) => {
    const ending = server;
    server = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.ref();
    ending.kill(signal);
    await ended;
  };
  await start();
  return {
    url,
    get pid() {
      return server?.pid ?? -1;
    },
    start,
    stop,
    close: async () => {
      await stop();
      await folder.remove();
    },
  };
}

/** Starts a program that does not outlive this process. */
function startGuarded(
  [program, ...args]: readonly [string, ...string[]],
  cwd: string,
  user: NonNullable<ServerPlan['user']>,
): ChildProcess {
  const number = processGuard.announce();
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', [childVariable]: processGuard.getMark(number) };
  const child = spawn(program, args, { ...user, cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined) processGuard.started(number, child.pid);
  child.once('exit', () => processGuard.release(number));
  return child;
}

/** Lets this process end while a child runs. */
function detach(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdout, child.stderr] as (Readable & { unref?: () => void })[]) {
    stream.unref?.();
    stream.resume();
  }
}

/** Resolves when a program has printed a text; rejects with what it printed when it ends before. */
function printed(child: ChildProcess, text: string): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      if (output.includes(text)) return;
      output += chunk.toString();
      if (output.includes(text)) resolve();
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('error', reject);
    child.once('exit', code => reject(new Error(`${child.spawnfile} ended with ${code}:\n${output}`)));
  });
}

function program(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed.`);
  return path;
}

const newFolder = (): OwnedFolder => ownedFolder('singletree-service-', identity);

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
