import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import * as z from 'zod';
import type { Agent } from '../../../src/agents/contract/agent.ts';
import { cliAgent } from '../../../src/agents/cli/agent/cli-agent.ts';
import type { CliAgentOptions } from '../../../src/agents/cli/agent/cli-agent-options.ts';
import { cliAdapters } from '../../../src/agents/cli/adapters/cli-adapters.ts';
import type { HandOverPlace } from '../../../src/agents/cli/sessions/session-format.ts';
import { SessionPool } from '../../../src/agents/cli/live/session-pool.ts';
import { defineTool, loopAgent } from '../../../src/agents/index.ts';
import { scriptedModel, startScriptedServer } from '../../../src/testing/index.ts';
import type { ScriptedTurn } from '../../../src/agents/model/scripted/script.ts';
import type { ScriptedRequest } from '../../../src/agents/model/scripted/scripted-request.ts';
import { Supervisor } from '../../../src/control/supervision/supervisor.ts';
import { checkOrder, type LoggedEvent } from '../../../src/events/index.ts';
import { MemoryLog } from '../../../src/log/index.ts';

import { realProgram } from './real-program.ts';

const shells = [
  'Bash',
  'exec_command',
  'bash',
  'shell',
  'developer__shell',
  'run_shell_command',
  'run_commands',
  'look',
];

/** The number of the last prompt of a request. */
export function lastMark({ messages }: ScriptedRequest): string | undefined {
  const said = messages.flatMap(({ role, text }) => (role === 'user' ? [text] : [])).join('\n');
  return [...said.matchAll(/LOOK-(\d+)/g)].at(-1)?.[1];
}

/** Answers each prompt `LOOK-n` with a text, a call of the shell and, after its result, another text. */
export function answer(request: ScriptedRequest): ScriptedTurn {
  const n = lastMark(request);
  const name = request.toolNames.find(tool => shells.includes(tool));
  if (name === undefined || n === undefined) return 'A title';
  if (request.toolResults.some(({ text }) => text.includes(`output-${n}`))) return `Done ${n}.`;
  const command = `${n === '9' ? 'touch started && sleep 60 && ' : ''}echo output-${n}`;
  const inputs: Readonly<Record<string, object>> = {
    exec_command: { cmd: command },
    run_commands: { commands: [command] },
    run_shell_command: { command, description: 'Looks', is_background: false },
    bash: { command, description: 'Looks' },
  };
  const input = inputs[name] ?? { command };
  return [{ text: `Looking ${n}.` }, { toolCall: { id: `toolu_look${n}`, name, input } }];
}

/** Returns what a request says in order: the marked texts with their speakers, and calls paired with their results. */
export function outline({ messages }: ScriptedRequest): string[] {
  const ids: string[] = [];
  return messages.flatMap(({ role, text, toolCalls = [], toolResults = [] }) => [
    ...(role === 'tool'
      ? []
      : [...text.matchAll(/LOOK-\d+|Looking \d+|Done \d+|SUMMARY-\d+/g)].map(([mark]) => `${role}: ${mark}`)),
    ...toolCalls.map(({ id, input }) => `call ${ids.push(id)}: ${/output-\d+/.exec(JSON.stringify(input))?.[0]}`),
    ...toolResults.map(
      ({ id, text: output }) => `result ${ids.indexOf(id) + 1}: ${/output-\d+/.exec(output)?.[0] ?? output}`,
    ),
  ]);
}

/** The outline of finished turns; calls are counted from `first`. */
export function turns(numbers: readonly number[], first = 1): string[] {
  return numbers.flatMap((n, index) => [
    `user: LOOK-${n}`,
    `assistant: Looking ${n}`,
    `call ${first + index}: output-${n}`,
    `result ${first + index}: output-${n}`,
    `assistant: Done ${n}`,
  ]);
}

interface TurnOptions {
  /** Default: the thread of the scene. */
  readonly threadId?: string;
  /** A picture in the prompt, as base64. */
  readonly image?: { readonly data: string; readonly mediaType: string };
}

/** One thread in which several real programs and our own agent work in turn, with one scripted model. */
export class HandOverScene {
  readonly log = new MemoryLog();
  threadId = 'thread';
  readonly folder: string = mkdtempSync(join(tmpdir(), 'singletree-hand-over-'));
  readonly sessionFolder: string = join(this.folder, 'sessions');
  sessions = new SessionPool();
  readonly #options = new Map<string, CliAgentOptions & { readonly cwd: string }>();
  readonly #own: ScriptedRequest[] = [];
  readonly #homes: string[] = [];
  readonly #server: Awaited<ReturnType<typeof startScriptedServer>>;
  readonly #supervisor = new Supervisor({ log: this.log, checkOrder: true, graceMs: 10_000 });

  private constructor(server: Awaited<ReturnType<typeof startScriptedServer>>) {
    this.#server = server;
    mkdirSync(this.cwd);
  }

  static async open(): Promise<HandOverScene> {
    const scene = new HandOverScene(await startScriptedServer({ script: answer }));
    await scene.log.createThread({ id: scene.threadId });
    return scene;
  }

  get cwd(): string {
    return join(this.folder, 'project');
  }

  /** The agent of a name: a real program, or `own` for our loop. */
  agent(name: string, options: Partial<CliAgentOptions> = {}): Agent {
    if (name === 'own') return this.#ownAgent();
    const settings = this.#options.get(name) ?? this.#program(name);
    this.#options.set(name, settings);
    const { cwd, sessionFolder, sessions } = this;
    return cliAgent(name, {
      ...settings,
      cwd,
      sessionFolder,
      sessions,
      channel: 'live',
      timeoutMs: 60_000,
      ...options,
    });
  }

  /** Runs one turn to its end, with an image where one is given. Returns its first model request, as an outline, and its events. */
  async turn(
    name: string,
    n: number,
    { image, threadId = this.threadId, ...options }: Partial<CliAgentOptions> & TurnOptions = {},
  ): Promise<{ readonly asked: string[]; readonly events: LoggedEvent[]; readonly outcome: string }> {
    const before = this.#requests(name, n).length;
    const text = `LOOK-${n}`;
    const content =
      image === undefined
        ? text
        : [
            { type: 'text' as const, text },
            { type: 'image' as const, ...image },
          ];
    const run = await this.#supervisor.start(threadId, { agent: this.agent(name, options), content });
    const outcome = await run.done;
    await this.#supervisor.flush(threadId);
    const all = await this.log.read(threadId);
    const violations = checkOrder(all);
    if (violations.length > 0) throw new Error(JSON.stringify(violations));
    const first = this.#requests(name, n)[before];
    const events = all.filter(event => event.runId === run.runId);
    return { asked: first === undefined ? [] : outline(first), events, outcome };
  }

  /** Starts a turn and aborts it when its call runs. */
  async abort(name: string, n: number): Promise<void> {
    const run = await this.#supervisor.start(this.threadId, { agent: this.agent(name), content: `LOOK-${n}` });
    for await (const event of this.log.tail(this.threadId, 0))
      if (event.type === 'tool_call' && event.runId === run.runId) break;
    await this.#supervisor.abort(run.runId);
    await run.done;
  }

  /** Ends the programs, so that the next turn starts one. */
  async cool(): Promise<void> {
    await this.sessions.close();
    this.sessions = new SessionPool();
  }

  /** The sessions that were written for a program. */
  written(name: string): string[] {
    try {
      return readdirSync(join(this.sessionFolder, name));
    } catch {
      return [];
    }
  }

  /** Where a program has its own sessions. */
  place(name: string): HandOverPlace {
    const environment = this.#options.get(name)?.env ?? {};
    return { home: environment['HOME'] ?? '', environment, cwd: this.cwd, model: 'fake/fake-model' };
  }

  /** The ids of the sessions in a program's own store, in order. */
  async ownSessions(name: string): Promise<string[]> {
    const found = cliAdapters[name]?.session?.find(this.place(name)) ?? [];
    const ids: string[] = [];
    for await (const { id } of found) ids.push(id);
    return ids.toSorted();
  }

  async close(): Promise<void> {
    await this.#supervisor.close();
    await this.sessions.close();
    await this.#server.close();
    for (const home of this.#homes) rmSync(home, { recursive: true, force: true });
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The first request of a turn to a program's model, as an outline. */
  asked(name: string, n: number): string[] {
    const [first] = this.#requests(name, n);
    return first === undefined ? [] : outline(first);
  }

  /** The environment in which the command finds programs that use the model of the scene, and stores below its folder. */
  commandEnvironment(names: readonly string[]): NodeJS.ProcessEnv {
    const programs = names.map(name => this.#program(name));
    const folders = programs.map(({ executable = '' }) => dirname(executable));
    const { HOME: _home, ...set } = Object.assign({}, ...programs.map(({ env }) => env)) as Record<string, string>;
    const PATH = [...folders, process.env['PATH']].join(delimiter);
    return { ...process.env, ...set, PATH, SINGLETREE_HOME: join(this.folder, 'singletree') };
  }

  /** The newest request to a program's model, as it was sent. */
  get lastBody(): string {
    return JSON.stringify(this.#server.requests.at(-1)?.body);
  }

  /** The requests to the programs' models, as they were sent. */
  get bodies(): string[] {
    return this.#server.requests.map(({ body }) => JSON.stringify(body));
  }

  /** The requests of the turns `n`. */
  #requests(name: string, n: number): readonly ScriptedRequest[] {
    const all = name === 'own' ? this.#own : this.#server.requests.flatMap(({ seen }) => seen ?? []);
    return all.filter(request => request.toolNames.some(tool => shells.includes(tool)) && lastMark(request) === `${n}`);
  }

  /** A program with the model of its own choice where it has one: that choice may depend on its session. */
  #program(name: string): CliAgentOptions & { readonly cwd: string } {
    const { model, ...settings } = realProgram(name, this.#server.url);
    this.#homes.push(dirname(settings.cwd));
    const choosesItself = ['claude', 'opencode', 'kilo'].includes(name) || model === undefined;
    return choosesItself ? settings : { ...settings, model };
  }

  #ownAgent(): Agent {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: z.object({ command: z.string() }),
      execute: ({ command }) => command.replace('echo ', ''),
    });
    const model = scriptedModel(request => {
      this.#own.push(request);
      return answer(request);
    });
    return loopAgent({ id: 'own', model, tools: [look], permissions: { default: 'allow', rules: [] } });
  }
}

/** The warnings of a turn that its session is new. */
export function newSessions(events: readonly LoggedEvent[]): LoggedEvent[] {
  return events.filter(event => event.type === 'warning' && event.code === 'new_session');
}
