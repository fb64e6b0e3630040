import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { steeredMessages } from '../../src/agents/steered-messages.ts';
import { listThreads } from '../../src/cli/threads/actions.ts';
import { listInbox } from '../../src/cli/threads/inbox.ts';
import { Conversations, Harness, Supervisor } from '../../src/control/index.ts';
import { standardOutput } from '../../src/control/standard-output.ts';
import { RelayBooks } from '../../src/control/conversations/relay-books.ts';
import { newId } from '../../src/events/index.ts';
import { type EventLog, MemoryLog, SqliteLog, type Thread } from '../../src/log/index.ts';
import { createApp } from '../../src/server/index.ts';
import { killedLog, ownedLog } from './killed-log.ts';
import { scriptedAgent } from './scripted-agent.ts';

/** How long a person may take to answer, in milliseconds. */
export const expiresMs = 100;
/** The ways to use a conversation: each is a process of its own. */
export const surfaces = ['HTTP', 'library', 'Harness', 'send'] as const;
export type Surface = (typeof surfaces)[number];
type Delivery = 'steer' | 'follow_up';

const deadOwner = `${hostname()}/${spawnSync(process.execPath, ['--version']).pid}/x`;
const noAgents = { list: () => [], get: () => undefined };

/** Lets others work for some turns of the event loop. */
export async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>(resolve => setImmediate(resolve));
}

/** The agent of every process: it adds what it is sent, asks when it is told to, and works for a while. */
function worker() {
  const agent = scriptedAgent('main', async function* ({ event, params, answer, until }) {
    const text = JSON.stringify(params.conversation.messages.at(-1)?.content ?? '');
    if (text.includes('ask')) {
      const id = `${params.run.runId}/q`;
      const expiresAt = new Date(Date.now() + expiresMs).toISOString();
      if (params.run.resume === undefined)
        yield event('relay', { id, relayKind: 'question', question: 'Tea?', expiresAt });
      await until(answer(id));
    } else await until(pass(text.includes('slow') ? 8 : 1));
    yield* steeredMessages(params);
  });
  return { ...agent, abilities: { resumable: true } };
}

/** What a surface reports of a conversation. */
export interface Report {
  readonly queue?: readonly string[];
  readonly waiting?: number;
  readonly relays?: readonly string[];
  readonly isRunning?: boolean;
}

/** One thread that a server, a library process, a Harness and commands use; a server and a Harness may be killed. */
export class ConversationWorld {
  readonly accepted = new Set<string>();
  readonly withdrawn = new Set<string>();
  /** Messages that were sent before those that waited longer, because a person asked for it. */
  readonly sentNow = new Set<string>();
  readonly doing: Promise<unknown>[] = [];
  readonly store: EventLog;
  readonly #file: string | undefined;
  #count = 0;
  #restarted: Promise<void> = Promise.resolve();
  #closing: (() => Promise<unknown>)[] = [];
  threadId = '';
  server!: ReturnType<ConversationWorld['openServer']>;
  library!: ReturnType<ConversationWorld['openProcess']>;
  harness!: Harness;
  /** A process that only reads and edits. */
  reader!: Conversations;

  private constructor(file?: string) {
    this.#file = file;
    this.store = file === undefined ? new MemoryLog() : new SqliteLog(file, { now: Date.now, pollMs: 5 });
  }

  static async open(kind: 'memory' | 'SQLite'): Promise<ConversationWorld> {
    const folder = kind === 'memory' ? undefined : await mkdtemp(join(tmpdir(), 'conversations-'));
    const world = new ConversationWorld(folder && join(folder, 'log.db'));
    ({ id: world.threadId } = await world.store.createThread({ title: 'T', resourceId: 'h' }));
    world.server = world.openServer(world.#log());
    world.library = world.openProcess(world.#log());
    const log = world.#log();
    world.reader = new Conversations({ log, control: new Supervisor({ log }), agents: noAgents });
    world.harness = await world.openHarness(world.#log());
    return world;
  }

  /** The store as a process has it that shares no state with the others. */
  #log(): EventLog {
    return killedLog(this.store, Number.POSITIVE_INFINITY).log;
  }

  openProcess(log: EventLog) {
    const agent = worker();
    const control = new Supervisor({ log, agents: [agent], graceMs: 1 });
    const agents = {
      list: () => [{ id: 'main', name: 'Main' }],
      get: (id: string) => (id === 'main' ? agent : undefined),
    };
    const conversations = new Conversations({ log, control, agents });
    conversations.deliver();
    this.#closing.push(() => control.close());
    return { log, control, agents, conversations };
  }

  openServer(log: EventLog) {
    const opened = this.openProcess(log);
    const { control, agents } = opened;
    return { ...opened, app: createApp({ log, control, agents, onFailure: () => {}, logStyle: 'off' }) };
  }

  async openHarness(log: EventLog): Promise<Harness> {
    const harness = new Harness({ id: 'h', storage: log, modes: [{ id: 'm', agent: worker() }] });
    await harness.switchThread({ threadId: this.threadId });
    return harness;
  }

  /** Sends a text through a surface; what resolves was accepted. */
  send(surface: Surface, words: string, delivery: Delivery): Promise<unknown> {
    const content = `m${this.#count++}. ${words}`;
    return this.#send(surface, content, delivery).then(isAccepted => void (isAccepted && this.accepted.add(content)));
  }

  async #send(surface: Surface, content: string, delivery: Delivery): Promise<boolean> {
    if (surface === 'HTTP') return this.post('/messages', { content, id: newId(), delivery });
    if (surface === 'Harness') {
      await (delivery === 'steer' ? this.harness.sendMessage({ content }) : this.harness.followUp({ content }));
      return true;
    }
    if (surface === 'send')
      return (await this.reader.enqueue(this.threadId, { content, agent: 'main', delivery })) !== undefined;
    await this.library.conversations.send(this.threadId, { content, delivery });
    return true;
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ isOk: boolean; json: Record<string, unknown> }> {
    const response = await this.server.app.request(`http://127.0.0.1/api${path}`, {
      method,
      headers: { host: '127.0.0.1', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { isOk: response.ok, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  }

  async post(path: string, body?: unknown, method = 'POST'): Promise<boolean> {
    return (await this.request(method, `/threads/${this.threadId}${path}`, body)).isOk;
  }

  async thread(): Promise<Thread> {
    return (await this.store.getThread(this.threadId)) as Thread;
  }

  /** What edits the queue of a surface; a Harness has only its own way to send. */
  editor(surface: Surface): Conversations {
    return surface === 'library' ? this.library.conversations : this.reader;
  }

  async queue() {
    return this.reader.queue(await this.thread());
  }

  async pending() {
    const entries: { id: string }[] = [];
    for await (const { entry } of new RelayBooks(this.store).pending()) entries.push(entry);
    return entries;
  }

  async answer(surface: Surface): Promise<void> {
    for (const { kind, id } of (await this.thread()).open ?? [])
      if (kind !== 'relay') continue;
      else if (surface === 'HTTP')
        await this.post(`/relays/${encodeURIComponent(id)}`, { outcome: 'answer', answer: 'Yes' });
      else if (surface === 'Harness') this.harness.respondToQuestion({ questionId: id, answer: 'Yes' });
      else await this.editor(surface).answer(this.threadId, id, { outcome: 'answer', answer: 'Yes' });
  }

  async abort(surface: Surface): Promise<void> {
    if (surface === 'Harness') return this.harness.abort();
    if (surface !== 'HTTP') return void (await this.library.conversations.abortAll(this.threadId));
    for (const { kind, id } of (await this.thread()).open ?? [])
      if (kind === 'run') await this.request('POST', `/runs/${id}/abort`);
  }

  /** A process with this log dies before it has made so many writes, while it sends a message. */
  async #kill(writes: number, send: (log: EventLog, content: string) => Promise<unknown>): Promise<void> {
    const { log, killed, kill } = killedLog(ownedLog(this.store, deadOwner), writes);
    const content = `m${this.#count++}. now`;
    void send(log, content).then(
      () => this.accepted.add(content),
      () => {},
    );
    await Promise.race([killed, pass(30)]);
    kill();
  }

  async killServer(writes: number): Promise<void> {
    await this.#kill(writes, (log, content) => {
      this.server = this.openServer(log);
      this.#closing.pop();
      return this.server.conversations.send(this.threadId, { content });
    });
    await this.restartServer();
  }

  /** Another Harness on the thread dies, while it sends a message or lets one wait. */
  async killHarness(writes: number): Promise<void> {
    await this.#kill(writes, async (log, content) => {
      const harness = await this.openHarness(log);
      await (writes % 2 === 0 ? harness.sendMessage({ content }) : harness.followUp({ content }));
    });
  }

  async restartServer(): Promise<void> {
    this.server = this.openServer(this.#log());
    await this.server.control.recover();
    await this.server.conversations.recover();
  }

  restartHarness(): Promise<void> {
    this.#restarted = this.#restarted.then(async () => {
      await this.harness.destroy();
      this.harness = await this.openHarness(this.#log());
    });
    return this.#restarted;
  }

  /** What each surface reports. */
  async reports(): Promise<Record<string, Report>> {
    await this.#restarted;
    const thread = await this.thread();
    const { json: listed } = await this.request('GET', `/threads/${this.threadId}/queue`);
    const { json: inbox } = await this.request('GET', '/relays');
    const { json: info } = await this.request('GET', `/threads/${this.threadId}`);
    const events = await this.store.read(this.threadId);
    const hasBegun = (runId: string) => events.some(event => event.type === 'harness_start' && event.runId === runId);
    const isRequested = (thread.open ?? []).some(({ kind, id }) => kind === 'run' && !hasBegun(id));
    const hasExpired = (relayId: string) =>
      events.some(
        event => event.type === 'relay' && event.id === relayId && Date.parse(event.expiresAt ?? '') <= Date.now(),
      );
    const messages = await this.library.conversations.queue(thread);
    const queue = idsOf(messages);
    await this.harness.listMessages();
    const { pendingQuestion } = this.harness.getDisplayState();
    return {
      core: {
        queue,
        // A Harness counts follow-ups: what a run was sent and did not read begins a turn, too, but is none.
        waiting: messages.filter(({ delivery }) => delivery === 'follow_up').length,
        relays: idsOf(await this.pending()),
        isRunning: (thread.open ?? []).some(({ kind }) => kind === 'run'),
      },
      HTTP: {
        queue: idsOf(listed['messages']),
        relays: idsOf(inbox['relays']),
        isRunning: (info['runs'] as unknown[]).length > 0,
      },
      send: { queue: idsOf(await this.queue()), ...(await this.#commands()) },
      Harness: {
        waiting: this.harness.getFollowUpCount(),
        // A run that was requested and has not begun has no event that a Harness shows.
        ...(!isRequested && { isRunning: this.harness.isRunning() }),
        // Its display follows the log: a question that expired is there until its owner stores that.
        relays: [pendingQuestion?.questionId ?? []].flat().filter(id => !hasExpired(id)),
      },
    };
  }

  /** What `singletree inbox` and `singletree threads` print; only a file can be read by them. */
  async #commands(): Promise<Report> {
    if (this.#file === undefined) return {};
    const printed: Record<string, unknown>[] = [];
    const print = vi.spyOn(standardOutput, 'writeJson').mockImplementation(async value => {
      printed.push(value as Record<string, unknown>);
      return true;
    });
    try {
      await listInbox({ db: this.#file, json: true });
      const relays = idsOf(printed.splice(0));
      await listThreads({ db: this.#file, json: true, limit: 1_000 });
      const { status } = printed.find(({ id }) => id === this.threadId) ?? {};
      return { relays, isRunning: status !== 'idle' && status !== 'queued' };
    } finally {
      print.mockRestore();
    }
  }

  async close(): Promise<void> {
    await this.#restarted;
    await this.harness.destroy();
    for (const close of this.#closing) await close();
    await this.store.close();
    if (this.#file !== undefined) rmSync(join(this.#file, '..'), { recursive: true, force: true });
  }
}

function idsOf(entries: unknown): string[] {
  return (entries as { id: string }[]).map(({ id }) => id);
}
