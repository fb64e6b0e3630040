import { existsSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { changeMode } from '../../control/threads/choice-events.ts';
import { checkMode } from '../../control/conversations/sent-message.ts';
import type { OnDiagnostic } from '../../base/diagnostics.ts';
import type { Conversations } from '../../control/conversations/conversations.ts';
import type { RunControl } from '../../control/supervision/run-control.ts';
import { isSameFolder } from '../../control/same-folder.ts';
import { sharedThreadMemory } from '../../control/threads/thread-memory.ts';
import { ThreadDigests } from '../../control/threads/thread-folds.ts';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { parseTraceparent } from '../../events/trace-context.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { type PromptBlock, readPrompt } from '../../protocols/acp/message-content.ts';
import type { AgentDirectory } from '../../server/hosts.ts';
import { toCursor, placeIn } from '../../server/threads.ts';
import { withoutModel } from '../coder.ts';
import {
  agent,
  type AgentApp,
  type AgentContext,
  type InitializeRequest,
  RequestError,
} from '@agentclientprotocol/sdk';
import type { EditorServers } from './editor-servers.ts';
import { EditorSession } from './editor-session.ts';
import { findCommand } from './session-commands.ts';
import { listSettings, type SessionSettings } from './session-settings.ts';

interface EditorAgentOptions {
  readonly log: EventLog;
  readonly control: RunControl;
  readonly conversations: Conversations;
  readonly agents: AgentDirectory;
  /** The agent of new sessions; undefined when it needs a model and none is available. */
  readonly agentId: string | undefined;
  readonly servers: EditorServers;
  /** The default folder of agents. */
  readonly cwd: string;
  readonly version: string;
  /** Receives failures that no request of the editor reports. */
  readonly onDiagnostic: OnDiagnostic;
  /** Removes a thread with everything that belongs to it. */
  readonly remove: (thread: Thread) => Promise<void>;
}

/** How many sessions a page of the list has. */
const pageSize = 50;

const steering = z.looseObject({ sessionId: z.string(), prompt: z.array(z.looseObject({ type: z.string() })) });

/** Serves an editor over the Agent Client Protocol: sessions are threads, and requests are conversation operations. */
export class EditorAgent {
  readonly #options: EditorAgentOptions;
  readonly #digests: ThreadDigests;
  readonly #sessions = new Map<string, EditorSession>();
  #client: Pick<InitializeRequest, 'clientCapabilities' | 'clientInfo'> = {};

  constructor(options: EditorAgentOptions) {
    this.#options = options;
    this.#digests = new ThreadDigests(options.log);
  }

  /** The handlers of a connection. */
  app(): AgentApp {
    return agent({ name: 'singletree' })
      .onRequest('initialize', ({ params }) => this.#initialize(params))
      .onRequest('authenticate', () => guarded(async () => this.#requireAgent(undefined) && {}))
      .onRequest('session/new', ({ params, client }) => guarded(() => this.#create(params, client)))
      .onRequest('session/load', ({ params, client }) => guarded(() => this.#open(params, client, true)))
      .onRequest('session/resume', ({ params, client }) => guarded(() => this.#open(params, client, false)))
      .onRequest('session/list', ({ params }) => guarded(() => this.#list(params)))
      .onRequest('session/close', ({ params }) => guarded(() => this.#close(params.sessionId)))
      .onRequest('session/delete', ({ params }) => guarded(() => this.#delete(params.sessionId)))
      .onRequest('session/set_mode', async ({ params }) => {
        await guarded(() => this.#choose(params.sessionId, 'mode', params.modeId));
      })
      .onRequest('session/set_config_option', ({ params }) =>
        guarded(() => this.#choose(params.sessionId, params.configId, params.value)),
      )
      .onRequest('session/prompt', ({ params, client, signal }) => guarded(() => this.#prompt(params, client, signal)))
      .onRequest('_session/steering', steering, ({ params, client }) => guarded(() => this.#steer(params, client)))
      .onNotification('session/cancel', ({ params }) => this.#sessions.get(params.sessionId)?.requestCancel());
  }

  /** Detaches from all sessions. */
  close(): void {
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  #initialize({ clientCapabilities, clientInfo }: InitializeRequest) {
    this.#client = defined({ clientCapabilities, clientInfo });
    const needsKey = this.#options.agentId === undefined;
    return {
      protocolVersion: 1,
      agentInfo: { name: 'singletree', title: 'Singletree', version: this.#options.version },
      authMethods: needsKey ? [{ id: 'api-key', name: 'Set an API key', description: withoutModel }] : [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
      _meta: { steering: { supported: true } },
    };
  }

  async #create({ cwd, mcpServers }: OpenParams, client: AgentContext) {
    checkFolder(cwd);
    const agentId = this.#requireAgent(undefined);
    const { log, conversations } = this.#options;
    const thread = await log.createThread({ metadata: { agentId, cwd } });
    if (!isSameFolder(cwd, this.#options.cwd)) await conversations.move(thread.id, { folder: cwd });
    return { sessionId: thread.id, ...(await this.#attach(thread, { cwd, mcpServers }, client, false)) };
  }

  async #open(
    { sessionId, cwd, mcpServers }: OpenParams & { sessionId: string },
    client: AgentContext,
    isReplayed: boolean,
  ) {
    checkFolder(cwd);
    const { conversations, control } = this.#options;
    const thread = await conversations.find(sessionId);
    await control.takeOver(sessionId);
    const folder = (await this.#digests.findStartFolder(thread)) ?? cwd;
    return this.#attach(thread, { cwd: folder, mcpServers }, client, isReplayed);
  }

  /** Opens a thread in this connection; updates that follow the response are sent after it. */
  async #attach(thread: Thread, { cwd, mcpServers = [] }: OpenParams, client: AgentContext, isReplayed: boolean) {
    const { log, conversations, servers, agents } = this.#options;
    const { clientCapabilities, clientInfo } = this.#client;
    this.#sessions.get(thread.id)?.close();
    const session = new EditorSession(thread.id, {
      log,
      conversations,
      client,
      cwd,
      editor: clientInfo?.title ?? clientInfo?.name,
      hasForms: clientCapabilities?.elicitation?.form != null,
      hasNotices: clientCapabilities?.session?.notices != null,
      onDiagnostic: this.#options.onDiagnostic,
      contextWindow: model => this.#findContextWindow(model),
      settingsChanged: async () => this.#showSettings(thread.id, session),
    });
    this.#sessions.set(thread.id, session);
    await session.open(thread, { isReplayed });
    const agent = mcpServers.length === 0 ? undefined : agents.get(await this.#findAgent(thread.id));
    const problems = await servers.use(thread.id, mcpServers, { cwd, agent });
    const settings = await this.#readSettings(thread.id);
    setImmediate(() => session.start(problems));
    return settings;
  }

  async #list({ cwd, cursor }: { cwd?: string | null; cursor?: string | null }) {
    const sessions = [];
    let last: Thread | undefined;
    for await (const thread of allThreads(this.#options.log, defined({ after: placeIn(cursor ?? undefined) }))) {
      const folder = await this.#digests.findStartFolder(thread);
      if (thread.metadata['isArchived'] === true || (cwd != null && !isSameFolder(folder, cwd))) continue;
      if (sessions.length === pageSize && last !== undefined) return { sessions, nextCursor: toCursor(last) };
      const { id: sessionId, title, updatedAt } = thread;
      sessions.push({ sessionId, cwd: folder ?? this.#options.cwd, updatedAt, ...defined({ title }) });
      last = thread;
    }
    return { sessions };
  }

  async #close(sessionId: string) {
    const session = await this.#findOpen(sessionId);
    await session?.cancel();
    session?.close();
    this.#sessions.delete(sessionId);
    await this.#options.servers.close(sessionId);
    return {};
  }

  async #delete(sessionId: string) {
    const { conversations, servers, remove } = this.#options;
    const thread = await conversations.find(sessionId);
    this.#sessions.get(sessionId)?.close();
    this.#sessions.delete(sessionId);
    await servers.close(sessionId);
    await conversations.delete(sessionId, { remove: () => remove(thread) });
    return {};
  }

  async #prompt({ sessionId, prompt, _meta }: PromptParams, client: AgentContext, signal: AbortSignal) {
    const { log, conversations } = this.#options;
    const session = await this.#findSession(sessionId, client);
    const content = readPrompt(prompt as readonly PromptBlock[]);
    if (content.length === 0) throw RequestError.invalidParams(undefined, 'The prompt is empty.');
    const found = findCommand(content);
    if (found !== undefined) {
      await session.say(await found.command.run({ log, conversations, threadId: sessionId }, found.argument));
      return { stopReason: 'end_turn' as const };
    }
    const agentId = this.#requireAgent(await this.#findAgent(sessionId));
    const { model } = await this.#readChoice(sessionId);
    const { traceparent } = _meta ?? {};
    const trace = typeof traceparent === 'string' ? parseTraceparent(traceparent) : undefined;
    const end = await session.prompt(content, { agent: agentId, model, trace, signal });
    if ('error' in end) throw new RequestError(-32_603, end.error.message, { code: end.error.code });
    return end;
  }

  async #steer({ sessionId, prompt }: z.infer<typeof steering>, client: AgentContext) {
    const session = await this.#findSession(sessionId, client);
    const agentId = this.#requireAgent(await this.#findAgent(sessionId));
    await session.steer(readPrompt(prompt as unknown as readonly PromptBlock[]), { agent: agentId });
    return {};
  }

  /** Changes the mode or the model; the response has the whole list of options. */
  async #choose(sessionId: string, id: string, value: unknown): Promise<Pick<SessionSettings, 'configOptions'>> {
    const { conversations, agents } = this.#options;
    await conversations.find(sessionId);
    const agentId = await this.#findAgent(sessionId);
    const { configOptions } = await this.#readSettings(sessionId);
    const option = configOptions.find(each => each.id === id);
    const values =
      option?.type === 'select' ? option.options.flatMap(each => ('value' in each ? [each.value] : [])) : [];
    if (typeof value !== 'string' || !values.includes(value))
      throw new SingletreeError(
        'invalid_argument',
        `The option "${id}" cannot be "${String(value)}". Expected one of: ${values.join(', ') || 'nothing, it is unknown'}.`,
      );
    const agentHere = agents.get(agentId);
    if (id === 'mode' && agentHere !== undefined) {
      checkMode(agentHere, value);
      const { mode } = await this.#readChoice(sessionId);
      const events = changeMode(value, mode);
      if (events.length > 0) await conversations.choose(sessionId, { events, metadata: { currentModeId: value } });
    } else
      await conversations.choose(sessionId, {
        events: [{ type: 'model_changed', runId: newId(), modelId: value, scope: 'thread' }],
        metadata: { currentModelId: value },
      });
    return { configOptions: (await this.#readSettings(sessionId)).configOptions };
  }

  async #showSettings(threadId: string, session: EditorSession): Promise<void> {
    const { modes, configOptions } = await this.#readSettings(threadId);
    if (modes !== undefined)
      await session.update({ sessionUpdate: 'current_mode_update', currentModeId: modes.currentModeId });
    await session.update({ sessionUpdate: 'config_option_update', configOptions });
  }

  async #readSettings(threadId: string): Promise<SessionSettings> {
    const agentId = await this.#findAgent(threadId);
    const info = this.#options.agents.list().find(({ id }) => id === agentId);
    return listSettings(info ?? {}, await this.#readChoice(threadId));
  }

  /** The mode and the model of a thread. */
  async #readChoice(threadId: string): Promise<{ mode: string | undefined; model: string | undefined }> {
    const { log, conversations } = this.#options;
    const { mode } = await sharedThreadMemory(log).of(threadId);
    const { currentModelId } = (await conversations.find(threadId)).metadata;
    return { mode, model: typeof currentModelId === 'string' ? currentModelId : undefined };
  }

  /** Returns the agent of a thread when it is offered here, else the agent of new sessions. */
  async #findAgent(threadId: string): Promise<string> {
    const { conversations, agents } = this.#options;
    const agentId = await conversations.findAgent(await conversations.find(threadId));
    return this.#requireAgent(agentId !== undefined && agents.get(agentId) !== undefined ? agentId : undefined);
  }

  #requireAgent(agentId: string | undefined): string {
    const id = agentId ?? this.#options.agentId;
    if (id === undefined) throw new SingletreeError('missing_api_key', withoutModel);
    return id;
  }

  /** Returns the session with an id; opens a thread that is not open in this connection, as `session/resume` does. */
  async #findSession(sessionId: string, client: AgentContext): Promise<EditorSession> {
    const open = await this.#findOpen(sessionId);
    if (open !== undefined) return open;
    const thread = await this.#options.conversations.find(sessionId);
    const cwd = (await this.#digests.findStartFolder(thread)) ?? this.#options.cwd;
    await this.#attach(thread, { cwd }, client, false);
    return this.#sessions.get(sessionId) as EditorSession;
  }

  async #findOpen(sessionId: string): Promise<EditorSession | undefined> {
    await this.#options.conversations.find(sessionId);
    return this.#sessions.get(sessionId);
  }

  #findContextWindow(model: string): number | undefined {
    for (const { contextWindows = {} } of this.#options.agents.list())
      for (const [id, window] of Object.entries(contextWindows))
        if (id === model || id.endsWith(`/${model}`)) return window;
    return undefined;
  }
}

interface OpenParams {
  readonly cwd: string;
  readonly mcpServers?: Parameters<EditorServers['use']>[1] | undefined;
}

interface PromptParams {
  readonly sessionId: string;
  readonly prompt: readonly unknown[];
  readonly _meta?: Readonly<Record<string, unknown>> | null;
}

function checkFolder(cwd: string): void {
  if (isAbsolute(cwd) && existsSync(cwd) && statSync(cwd).isDirectory()) return;
  throw new SingletreeError(
    'invalid_argument',
    `"${cwd}" cannot be the folder of a session. Expected the absolute path of a folder that exists.`,
  );
}

async function guarded<Result>(answer: () => Promise<Result>): Promise<Result> {
  try {
    return await answer();
  } catch (error) {
    throw toRequestError(error);
  }
}

/** Returns the protocol error for an unknown session, an invalid argument, a missing key, or another failure. */
function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const message = errorText(error);
  if (!SingletreeError.is(error)) return new RequestError(-32_603, message);
  const { threadId: sessionId, ...details } = error.details ?? {};
  const data = { code: error.code, ...details, ...defined({ sessionId }) };
  if (error.code === 'thread_not_found') return new RequestError(-32_002, message, data);
  if (error.code === 'missing_api_key') return new RequestError(-32_000, message, data);
  return new RequestError(error.code === 'invalid_argument' ? -32_602 : -32_603, message, data);
}
