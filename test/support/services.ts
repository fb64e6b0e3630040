import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { findProgram, installPackages } from './private-servers.ts';

export type ServiceName = 'postgres' | 'redis';

/** Names the port from which the tests of a run get their servers. */
export const servicesVariable = 'SINGLETREE_TEST_SERVICES';

const services = {
  postgres: { name: 'PostgreSQL', variable: 'SINGLETREE_TEST_POSTGRES', program: 'postgres', package: 'postgresql' },
  redis: { name: 'Redis', variable: 'SINGLETREE_TEST_REDIS', program: 'redis-server', package: 'redis-server' },
  sshd: { name: 'an SSH server', variable: undefined, program: 'sshd', package: 'openssh-server' },
  tmux: { name: 'tmux', variable: undefined, program: 'tmux', package: 'tmux' },
  nginx: { name: 'nginx', variable: undefined, program: 'nginx', package: 'nginx-light' },
} as const;

/** An empty database of one test file. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * Returns the URL of a real server for the tests of this run: the one in `SINGLETREE_TEST_POSTGRES` or
 * `SINGLETREE_TEST_REDIS`, else a private one. Where it is not installed this fails with CI=true (root installs it
 * first); otherwise it prints a line and returns undefined, and the tests that need it are skipped.
 */
export async function testService(service: ServiceName): Promise<string | undefined> {
  const given = process.env[services[service].variable];
  if (given !== undefined && given !== '') return given;
  return isInstalled(service) ? requestServer(service) : undefined;
}

/** Whether private servers can be started here; fails or prints a line as `testService` does when not. */
export function isInstalled(service: keyof typeof services): boolean {
  const { name, variable, program, package: debian } = services[service];
  if (findProgram(program) !== undefined) return true;
  const orVariable = variable === undefined ? '' : `, or set ${variable}`;
  if (process.env['CI'] === 'true') {
    if (process.getuid?.() === 0) installPackages([debian]);
    if (findProgram(program) !== undefined) return true;
    throw new Error(`${name} is not installed, and CI needs it: install ${debian}${orVariable}.`);
  }
  process.stderr.write(`SKIPPED: tests that need ${name}. Install it (Debian: ${debian})${orVariable}.\n`);
  return false;
}

/** Returns a new database in the server of this run; undefined where the tests that need one are skipped. */
export async function testDatabase(): Promise<TestDatabase | undefined> {
  const server = await testService('postgres');
  if (server === undefined) return undefined;
  const name = `singletree_test_${randomUUID().replaceAll('-', '')}`;
  await runSql(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runSql(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

/** Runs one statement on a connection of its own. */
export async function runSql(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function requestServer(service: ServiceName): Promise<string> {
  const port = process.env[servicesVariable];
  if (port === undefined) throw new Error('Servers for tests are started by the global setup of Vitest.');
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`${service}\n`);
  const answer = JSON.parse(await text(socket)) as { url?: string; error?: string };
  if (answer.url === undefined) throw new Error(`${services[service].name} did not start: ${answer.error}`);
  return answer.url;
}
