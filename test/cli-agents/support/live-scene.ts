import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cliAgent } from '../../../src/agents/cli/agent/cli-agent.ts';
import type { CliAgentOptions } from '../../../src/agents/cli/agent/cli-agent-options.ts';
import { rawRecord } from '../../../src/agents/cli/saved/raw-record.ts';
import { readSavedStream } from '../../../src/agents/cli/saved/saved-stream.ts';
import { SessionPool } from '../../../src/agents/cli/live/session-pool.ts';
import type { RelayAnswer } from '../../../src/agents/contract/host.ts';
import type { ModelScript, ScriptedPart } from '../../../src/agents/model/scripted/script.ts';
import type { ScriptedRequest } from '../../../src/agents/model/scripted/scripted-request.ts';
import { Conversations } from '../../../src/control/conversations/conversations.ts';
import { Supervisor } from '../../../src/control/supervision/supervisor.ts';
import type { RunHandle } from '../../../src/control/supervision/run-control.ts';
import {
  type AgentEvent,
  checkOrder,
  type ContentPart,
  type EventOf,
  type LoggedEvent,
} from '../../../src/events/index.ts';
import { type EventLog, MemoryLog } from '../../../src/log/index.ts';
import { startScriptedServer } from '../../../src/testing/index.ts';
import { realProgram } from './real-program.ts';

let calls = 0;

/** A tool call of the scripted model; its id is unique, as those of real models are. */
export function callTool(name: string, input: unknown): ScriptedPart[] {
  return [{ toolCall: { id: `toolu_live${++calls}`, name, input } }];
}

/** A real program over its interactive channel, with a scripted model, a log and a supervisor. */
export class LiveScene {
  readonly log: EventLog;
  readonly sessions = new SessionPool();
  readonly threadId = 'thread';
  readonly options: CliAgentOptions & { readonly cwd: string };
  supervisor: Supervisor;
  readonly #agentName: string;
  readonly #server: Awaited<ReturnType<typeof startScriptedServer>>;

  private constructor(
    name: string,
    server: Awaited<ReturnType<typeof startScriptedServer>>,
    logOf: (options: { readonly cwd: string }) => EventLog,
  ) {
    this.#agentName = name.split('@')[0] as string;
    this.#server = server;
    const { yolo: _, ...options } = realProgram(name, server.url);
    this.options = { ...options, sessions: this.sessions };
    this.log = logOf(options);
    this.supervisor = this.newSupervisor();
  }

  /** Starts the scripted model; the program starts with the first message. `logOf` opens a log that others write, too. */
  static async open(
    name: string,
    script: ModelScript,
    logOf?: (options: { readonly cwd: string }) => EventLog,
  ): Promise<LiveScene> {
    const scene = new LiveScene(name, await startScriptedServer({ script }), logOf ?? (() => new MemoryLog()));
    if (logOf === undefined) await scene.log.createThread({ id: scene.threadId });
    return scene;
  }

  newSupervisor(options: Partial<CliAgentOptions> = {}): Supervisor {
    return new Supervisor({
      log: this.log,
      checkOrder: true,
      graceMs: 10_000,
      agents: ({ agentId }) => (agentId === this.#agentName ? this.agent(options) : undefined),
    });
  }

  agent(options: Partial<CliAgentOptions> = {}) {
    return cliAgent(this.#agentName, { ...this.options, ...options });
  }

  send(
    content: string | readonly ContentPart[],
    options: Partial<CliAgentOptions> & { readonly model?: string } = {},
  ): Promise<RunHandle> {
    const { model, ...settings } = options;
    return this.supervisor.start(this.threadId, {
      agent: this.agent(settings),
      content,
      ...(model !== undefined && { model }),
    });
  }

  /** Sends a message into the run. */
  async say(content: string): Promise<void> {
    const agents = { list: () => [this.agent()], get: () => this.agent() };
    await new Conversations({ log: this.log, control: this.supervisor, agents }).send(this.threadId, { content });
  }

  /** Waits for the n-th relay of the thread. */
  async relay(n = 1): Promise<EventOf<'relay'>> {
    return (await this.event(event => event.type === 'relay', n)) as EventOf<'relay'> & LoggedEvent;
  }

  /** Waits for the n-th event that matches; fails when the thread is idle without it. */
  async event(matches: (event: LoggedEvent) => boolean, n = 1): Promise<LoggedEvent> {
    let count = 0;
    for await (const event of this.log.tail(this.threadId, 0)) if (matches(event) && ++count === n) return event;
    throw new Error('The log was closed.');
  }

  async answer({ id }: EventOf<'relay'>, answer: Omit<RelayAnswer, 'relayId'>): Promise<void> {
    await this.supervisor.answer(this.threadId, id, answer);
  }

  async events(): Promise<LoggedEvent[]> {
    await this.supervisor.flush(this.threadId);
    return this.log.read(this.threadId);
  }

  /** The events after the run, checked for a legal order. */
  async finished(run: RunHandle): Promise<{ readonly outcome: string; readonly events: LoggedEvent[] }> {
    const outcome = await run.done;
    const events = await this.events();
    const violations = checkOrder(events);
    if (violations.length > 0) throw new Error(JSON.stringify(violations));
    return { outcome, events };
  }

  /** The events that the raw lines of a run are translated to again, as `singletree translate` does. */
  async translated({ runId }: Pick<RunHandle, 'runId'>): Promise<AgentEvent[]> {
    const raw = await this.log.readRaw(this.threadId, runId);
    const text = raw.map(line => `${JSON.stringify(rawRecord(line))}\n`).join('');
    const events: AgentEvent[] = [];
    for await (const event of readSavedStream(this.#agentName, [text], { runId })) events.push(event);
    return events;
  }

  /** What the model was asked in its n-th request, from the end when negative. */
  request(n: number): string {
    const bodies = this.requests();
    return JSON.stringify(bodies.at(n) ?? null);
  }

  requests(): unknown[] {
    return this.seen().map(({ body }) => body);
  }

  /** The requests that the script has answered: as it saw them, and their bodies. */
  seen(): { readonly seen: ScriptedRequest; readonly body: unknown }[] {
    return this.#server.requests.flatMap(({ seen, body }) => (seen === undefined ? [] : [{ seen, body }]));
  }

  has(file: string): boolean {
    return existsSync(join(this.options.cwd, file));
  }

  async close(): Promise<void> {
    await this.supervisor.close();
    await this.sessions.close();
    await this.#server.close();
    rmSync(dirname(this.options.cwd), { recursive: true, force: true });
  }
}

/** The texts that a run wrote. */
export function textOf(events: readonly LoggedEvent[], runId: string): string {
  return events.flatMap(event => (event.type === 'text' && event.runId === runId ? [event.content] : [])).join('');
}
