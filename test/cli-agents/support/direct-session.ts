import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { vi } from 'vitest';
import { adapterNamed } from '../../../src/agents/cli/adapters/adapter-named.ts';
import type { CliAgentOptions } from '../../../src/agents/cli/agent/cli-agent.ts';
import type { LiveChannel, LiveStart } from '../../../src/agents/cli/contract/live-channel.ts';
import { RecordingHost } from '../../support/recorded-channel.ts';

/** A real program with its channel and nothing else: no driver that would end it. */
export class DirectSession {
  readonly host = new RecordingHost();
  readonly channel: LiveChannel;
  readonly #folder = mkdtempSync(join(tmpdir(), 'direct-session-'));
  readonly #child: ChildProcessWithoutNullStreams;

  constructor(name: string, options: CliAgentOptions & { readonly cwd: string }, settings: Partial<LiveStart> = {}) {
    const { live } = adapterNamed(name.split('@')[0] as string);
    if (live === undefined) throw new Error(`${name} has no interactive channel.`);
    const { cwd, model, extraArgs, env, executable = '' } = options;
    const start: LiveStart = { cwd, model, extraArgs, environment: {}, folder: this.#folder, ...settings };
    const { args, files = {} } = live.command(start);
    for (const [file, content] of Object.entries(files)) writeFileSync(join(this.#folder, file), content);
    this.#child = spawn(executable, [...args], { cwd, env: { PATH: process.env['PATH'], ...env } });
    this.#child.stderr.resume();
    for (const stream of [this.#child.stdin, this.#child.stdout]) stream.on('error', () => {});
    this.host.send = message => void this.#child.stdin.write(`${message}\n`);
    this.channel = live.channel(this.host, start);
    let lines = 0;
    createInterface({ input: this.#child.stdout }).on('line', line => this.channel.receive(line, ++lines));
    this.channel.open();
  }

  /** Waits until the host has what a condition looks for. */
  async until(condition: (host: RecordingHost) => unknown): Promise<void> {
    await vi.waitUntil(() => Boolean(condition(this.host)), { timeout: 60_000 });
  }

  /** Closes all streams, as the death of the process that owns the program does, and waits for the end of the program. */
  async ownerDies(): Promise<void> {
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
    await vi.waitUntil(() => this.#child.exitCode !== null || this.#child.signalCode !== null, { timeout: 60_000 });
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Runs a program whose owner dies while it asks, then resumes its session with another prompt. */
export async function resumedAfterDeath(
  name: string,
  options: CliAgentOptions & { readonly cwd: string },
): Promise<RecordingHost> {
  const first = new DirectSession(name, options);
  await first.until(({ session }) => session);
  first.channel.prompt({ runId: 'first', content: 'remember periwinkle' });
  await first.until(({ requests }) => requests.length > 0);
  await first.ownerDies();
  const sessionId = first.host.session?.sessionId;
  const second = new DirectSession(name, options, { sessionId });
  await second.until(({ session }) => session);
  second.channel.prompt({ runId: 'second', content: 'continue' });
  await second.until(({ ends }) => ends.length > 0);
  await second.ownerDies();
  return second.host;
}
