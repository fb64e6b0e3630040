import { stripVTControlCharacters } from 'node:util';
import { defined } from '../../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import { errorText } from '../../../base/error-text.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { InvokeParams } from '../../contract/agent.ts';
import { environmentFor, policyFor } from '../../process/environment.ts';
import type { Semaphore } from '../../semaphore.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { sessionNamePrefix } from '../contract/cli-command.ts';
import type { Translator } from '../contract/translator.ts';
import { newSessionWarning } from '../live/live-prompt.ts';
import { fitConversation } from '../sessions/fit-history.ts';
import { type ChosenSession, findUsableSession, writeHandOver } from '../sessions/hand-over.ts';
import type { SessionUse } from '../sessions/session-record.ts';
import type { CliAgentOptions } from './cli-agent-options.ts';
import { startFailure, withHint } from './failure-hint.ts';
import { lineText } from '../../process/line-reader.ts';
import { fitAttachments, buildPrompt } from './prompt.ts';
import { type ProcessLine, runProcess } from '../../process/run-process.ts';
import { RunTranslation } from './run-translation.ts';
import { withCost } from './usage-cost.ts';

export interface PrintRunOptions {
  readonly adapter: CliAdapter;
  readonly options: CliAgentOptions & { readonly semaphore: Semaphore };
  readonly params: InvokeParams;
}

/** One start of the program: the session that it resumes, and what translates its output. */
interface Attempt {
  readonly session: ChosenSession | undefined;
  readonly translator: Translator;
  readonly run: RunTranslation;
}

/** The events that a program emits also when it cannot resume its session. */
const preliminary: ReadonlySet<AgentEvent['type']> = new Set(['warning', 'error', 'session', 'unknown']);

/** One run of an external agent in print mode: its program is started once, and again when its session was lost. */
export class PrintRun {
  readonly #options: PrintRunOptions;
  readonly #use: SessionUse;
  readonly #sessionName: string;
  /** The time of the current line: its raw record and its events carry the same. */
  #ts = new Date().toISOString();
  #lineCount = 0;
  /** The conversation as the program gets it. */
  #messages: InvokeParams['conversation']['messages'];

  constructor(options: PrintRunOptions) {
    this.#options = options;
    const { adapter, options: settings, params } = options;
    const { runId, signal } = params.run;
    const { runMark } = params.host;
    this.#messages = params.conversation.messages;
    this.#sessionName = `${sessionNamePrefix}${runId}`;
    this.#use = {
      adapter,
      channel: 'print',
      folder: settings.sessionFolder,
      cwd: settings.cwd ?? process.cwd(),
      model: params.run.model ?? settings.model,
      executable: settings.executable ?? adapter.executable,
      environment: this.#environment(settings.env),
      runId,
      runMark,
      signal,
    };
  }

  /** Yields everything from the first to the last event. */
  async *run(): AsyncGenerator<AgentEvent> {
    const { adapter, params, options } = this.#options;
    const { runId, signal } = params.run;
    const { messages, session: last } = params.conversation;
    const { semaphore } = options;
    yield* this.#attempt(undefined).run.start();
    // Print mode has no flag for a copy of a session.
    const usable = await findUsableSession(this.#use, messages, last?.fork === true ? undefined : last);
    let attempt = usable === undefined ? yield* this.#handOver() : this.#attempt(usable);
    const servers = Object.keys(params.host.mcpServers ?? {}).join(', ');
    if (servers !== '')
      yield warning(runId, `${adapter.name} gets no MCP servers here: ${servers} is not used.`, 'mcp_server_not_used');
    const { dropped } = fitAttachments(adapter.name, buildPrompt(this.#messages, attempt.session), () => false);
    if (dropped !== undefined) yield warning(runId, dropped, 'attachment_dropped');
    if (semaphore.isFull) yield warning(runId, `Waiting: ${semaphore.permits} external agents run already.`, 'waiting');
    let release = () => {};
    try {
      release = await semaphore.acquire(signal);
      if ((yield* this.#process(attempt)) === 'ended') return;
      attempt = yield* this.#handOver();
      yield* this.#process(attempt);
    } catch (error) {
      this.#ts = new Date().toISOString();
      if (!signal.aborted) yield failed(runId, error);
      for (const event of attempt.run.end(signal.aborted ? { stopped: { reason: 'aborted', message: '' } } : {}))
        yield event.type === 'harness_end' && !signal.aborted ? { ...event, reason: 'error' } : event;
    } finally {
      release();
    }
  }

  #attempt(chosen: Awaited<ReturnType<typeof writeHandOver>>): Attempt {
    const { adapter, params } = this.#options;
    const { cwd, model, runId } = this.#use;
    const session = chosen === undefined || 'problem' in chosen ? undefined : chosen;
    const sessionId = session?.id ?? this.#sessionName;
    const translator = adapter.translator({ runId, sessionId, usedBefore: session?.used });
    const now = () => this.#ts;
    const { parentId } = params.run;
    const run = new RunTranslation({ runId, adapter, cwd, translator, now, ...defined({ parentId, model }) });
    return { session, translator, run };
  }

  /** Writes the conversation as a session; if that fails, writes it into the prompt and emits a warning. */
  async *#handOver(): AsyncGenerator<AgentEvent, Attempt> {
    const { adapter, options, params } = this.#options;
    const events: AgentEvent[] = [];
    const put = async (event: AgentEvent) => void events.push(event);
    const { compaction } = options;
    this.#messages = await fitConversation({ adapter, compaction, model: this.#use.model, params, put });
    yield* events;
    const written = await writeHandOver(this.#use, this.#messages);
    const attempt = this.#attempt(written);
    if (attempt.session === undefined && buildPrompt(this.#messages).includesHistory) {
      const problem = written !== undefined && 'problem' in written ? written.problem : undefined;
      yield warning(params.run.runId, newSessionWarning(adapter, problem), 'new_session');
    }
    return attempt;
  }

  /** Runs the program; returns whether it ended, or has no session that it could resume and was not asked anything. */
  async *#process({ session, translator, run }: Attempt): AsyncGenerator<AgentEvent, 'ended' | 'unknown_session'> {
    const { adapter, options } = this.#options;
    const { runId, cwd, model, executable, runMark, signal } = this.#use;
    const { text: prompt } = fitAttachments(adapter.name, buildPrompt(this.#messages, session), () => false);
    const command = adapter.command({
      ...options,
      prompt,
      model,
      sessionId: session?.id,
      sessionPath: session?.path,
      sessionName: this.#sessionName,
    });
    const lines = runProcess({
      command: executable,
      args: command.args,
      cwd,
      env: this.#environment({ ...command.env, ...options.env }),
      signal,
      runMark,
      settleMs: options.settleMs ?? 10_000,
      stopStepMs: options.stopStepMs ?? 600,
      isFinished: () => translator.finished,
      ...defined({ input: command.input }),
      ...(command.inputIsFile === true && { inputIsFile: true }),
      ...defined({ timeoutMs: options.timeoutMs, idleTimeoutMs: options.idleTimeoutMs }),
    });
    // A session that was just written is refused only once.
    const isUnknown = session === undefined || session.isNew === true ? undefined : adapter.session?.isUnknown;
    /** The events held back until the program is known to have the session. */
    let held: AgentEvent[] | undefined = isUnknown && [];
    try {
      for (let next = await lines.next(); ; next = await lines.next()) {
        this.#ts = new Date().toISOString();
        if (next.done === true) {
          yield* held ?? [];
          const { failedToStart, ...end } = next.value;
          if (failedToStart !== undefined)
            yield { type: 'error', runId, ...startFailure(adapter, failedToStart, cwd), fatal: true };
          for (const event of run.end(end))
            yield failedToStart !== undefined && event.type === 'harness_end'
              ? { ...event, reason: 'error' }
              : withHint(adapter, event);
          return 'ended';
        }
        await this.#keep(next.value);
        if (held !== undefined && isUnknown?.test(plainText(next.value)) === true) return 'unknown_session';
        const events = run.take(next.value, this.#lineCount).map(event => withCost(adapter, event));
        if (held !== undefined && events.every(({ type }) => preliminary.has(type))) held.push(...events);
        else {
          yield* held ?? [];
          held = undefined;
          yield* events;
        }
      }
    } finally {
      await lines.return({});
    }
  }

  /** Passes a raw line on. */
  async #keep({ stream, bytes }: ProcessLine): Promise<void> {
    const { options, params } = this.#options;
    const raw = { n: ++this.#lineCount, ts: this.#ts, stream, line: bytes };
    await params.host.raw?.(raw);
    await options.onRaw?.(params.run.runId, raw);
  }

  #environment(set: CliAgentOptions['env']): Record<string, string> {
    const { adapter, options, params } = this.#options;
    const policy = policyFor(options.environment, params.conversation);
    return environmentFor(process.env, { policy, needed: adapter.environment, set });
  }
}

/** The text of a line without colours. */
function plainText({ kind, bytes }: ProcessLine): string {
  return kind === 'rest' || kind === 'long' ? '' : stripVTControlCharacters(lineText(bytes));
}

function warning(runId: string, message: string, code: string): EventOf<'warning'> {
  return { type: 'warning', runId, message, code };
}

function failed(runId: string, error: unknown): EventOf<'error'> {
  const message = errorText(error);
  const code = SingletreeError.is(error) ? error.code : 'agent_failed';
  return { type: 'error', runId, message, code, fatal: true };
}
