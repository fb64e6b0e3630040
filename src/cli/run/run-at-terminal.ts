import { exitCodeFor, type RunTotals } from './run-totals.ts';
import { resolve } from 'node:path';
import type { RelayAnswer } from '../../agents/contract/host.ts';
import type { PermissionRuleSet } from '../../agents/contract/permissions.ts';
import { ConversationReader } from '../../control/conversations/conversation-reader.ts';
import { Worktrees } from '../../control/worktrees/worktrees.ts';
import { sharedThreadMemory } from '../../control/threads/thread-memory.ts';
import type { RunOutcome } from '../../control/supervision/run-counts.ts';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { mentionedFiles, readAttachments } from '../../terminal/session/message-files.ts';
import type { WaitingMessage } from '../../projections/message-queue.ts';
import { runAgent, type RunRequest, runsFolder } from './run-agent.ts';
import { type OutputKind, RunPrinter } from './run-printer.ts';
import { type RunnableAgent, runnableAgent } from '../agents/runnable-agent.ts';
import { type DiagnosticsOptions, openSite, withConfiguredLog } from '../settings/site.ts';
import { readCallerTrace } from '../settings/telemetry.ts';
import { loadSettings, type Settings } from '../settings/settings.ts';
import { isNewFile, type StoreOptions } from '../settings/store-options.ts';
import { findThread, threadNotFound } from '../threads/find-thread.ts';
import { printNotice, standardOutput } from '../../control/standard-output.ts';

export interface RunAtTerminalOptions extends StoreOptions, DiagnosticsOptions {
  readonly model?: string;
  readonly cwd?: string;
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly resume?: string;
  /** The message of that thread after which a branch of it is continued. */
  readonly at?: string;
  /** Whether to continue a branch of that thread in a new worktree. */
  readonly worktree?: boolean;
  /** Files for the prompt. */
  readonly attach?: readonly string[];
  /** Waits for answers of other processes when there is no terminal. */
  readonly wait?: boolean;
  readonly out?: string;
  /** Default: text. */
  readonly output?: OutputKind;
  readonly env?: Record<string, string>;
  readonly yolo?: boolean;
  readonly print?: boolean;
  readonly permissions?: PermissionRuleSet;
  readonly mode?: string;
}

/** The run to start: an agent with a prompt, or without one the interrupted run of the thread that `resume` names. */
export interface TerminalRun {
  readonly name: string;
  readonly prompt: string | undefined;
  /** Whether the prompt is piped from another program; files that it mentions are not attached. */
  readonly isPiped?: boolean;
  readonly extraArgs: readonly string[];
  /** Whether it delivers the next waiting message of the thread that `resume` names. */
  readonly delivers?: boolean;
  /** The answer to a relay of the interrupted run. */
  readonly answer?: RelayAnswer;
}

/**
 * Runs an agent on this terminal, asks the user about its relays, and then delivers the messages that were queued
 * during the run. Returns the exit code of the last run.
 */
export async function runAtTerminal(run: TerminalRun, options: RunAtTerminalOptions): Promise<number> {
  const delivers = run.delivers ?? (run.prompt === undefined && (await hasQueue(options)));
  let { code, outcome, threadId, next } = await runOnce({ ...run, delivers }, options);
  while (next !== undefined && outcome !== 'aborted' && outcome !== 'interrupted') {
    const { agent: name = run.name, model = options.model, mode } = next;
    // The record folder, files, mode and branch apply only to the first run.
    const { out: _out, attach: _attach, mode: _mode, at: _at, worktree: _worktree, ...others } = options;
    const more = { ...others, resume: threadId, ...defined({ model, mode }) };
    const turn = { name, prompt: undefined, delivers: true, extraArgs: run.extraArgs };
    try {
      ({ code, outcome, threadId, next } = await runOnce(turn, more));
    } catch (error) {
      // Another process delivers this message and the ones after it.
      if (SingletreeError.is(error, 'not_found')) return code;
      if (!unusable.some(reason => SingletreeError.is(error, reason))) throw error;
      printNotice(
        `a message waits for the agent "${name}", which cannot run here: ${errorText(error)} To deliver it: singletree run ${name} --resume ${threadId}`,
      );
      return code;
    }
  }
  return code;
}

/** Whether the thread to continue has queued messages and no active run. */
async function hasQueue({ resume = '', ...options }: RunAtTerminalOptions): Promise<boolean> {
  if (isNewFile(options)) throw threadNotFound(resume);
  const { config } = await loadSettings(options.cwd ?? '.');
  return withConfiguredLog(options, config, async log => {
    const { state } = await new ConversationReader(log).status(await findThread(log, resume));
    return state === 'queued';
  });
}

/** Returns the branch to continue; undefined to continue the thread itself. */
function branchFor({ at, worktree }: RunAtTerminalOptions, settings: Settings): RunRequest['branch'] {
  const { home, cwd: folder, environment, config } = settings;
  const setup = config.worktree?.setup;
  const worktrees = worktree === true ? new Worktrees({ home, folder, environment, ...defined({ setup }) }) : undefined;
  return at === undefined && worktrees === undefined ? undefined : { at, worktrees };
}

/** The error codes for an agent that cannot run here. */
const unusable = ['agent_not_found', 'invalid_argument', 'missing_api_key'] as const;

/** The result of one run, and the next queued message. */
interface EndedRun {
  readonly code: number;
  readonly outcome: RunOutcome;
  readonly threadId: string;
  readonly next: WaitingMessage | undefined;
}

async function runOnce(
  { name, prompt, isPiped, delivers, answer, extraArgs }: TerminalRun,
  options: RunAtTerminalOptions,
): Promise<EndedRun> {
  const isTerminal = process.stdin.isTTY && standardOutput.isTerminal;
  const hasPerson = isTerminal || options.wait === true;
  const settings = await loadSettings(options.cwd ?? '.');
  const mentioned = isPiped === true ? [] : await mentionedFiles(prompt ?? '', settings.cwd);
  const attachments = await readAttachments([...(options.attach ?? []), ...mentioned.map(({ path }) => path)]);
  const { timeout: timeoutMs, idleTimeout: idleTimeoutMs } = options;
  const agent = await runnableAgent(name, settings, {
    ...options,
    timeoutMs,
    idleTimeoutMs,
    hasPerson,
    isResumed: prompt === undefined && delivers !== true,
    extraArgs,
  });
  if (options.resume !== undefined && isNewFile(options)) throw threadNotFound(options.resume);
  const stop = new AbortController();
  const closed = new AbortController();
  let printer: RunPrinter | undefined;
  const end = (how: AbortController) => () => {
    printer?.interrupt();
    how.abort();
  };
  const [interrupt, hangUp] = [end(stop), end(closed)];
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  process.on('SIGHUP', hangUp);
  const site = await openSite(settings, options);
  const { log, redactor } = site;
  printer = new RunPrinter({
    kind: options.output ?? 'text',
    log,
    cwd: settings.cwd,
    showsRecord: options.out !== undefined,
    asks: isTerminal && agent.isInteractive ? 'here' : !isTerminal && hasPerson ? 'elsewhere' : 'nobody',
    interrupt,
  });
  try {
    const report = await runAgent(
      {
        ...site.supervision,
        redactor,
        agent,
        cwd: settings.cwd,
        attachments,
        ...defined({ prompt, delivers, answer, threadId: options.resume, branch: branchFor(options, settings) }),
        ...defined({ trace: readCallerTrace() }),
        folderOf: runId => (options.out === undefined ? runsFolder(settings.home, runId) : resolve(options.out)),
        signal: stop.signal,
        closed: closed.signal,
        hasPerson,
      },
      printer,
    );
    await printer.end(report, deniedAdvice(agent, report.totals));
    const { outcome, threadId } = report;
    // Without a user to ask, a denied call means that the task is incomplete.
    const code = exitCodeFor(outcome) || (!hasPerson && report.totals.denied.length > 0 ? 1 : 0);
    const [next] = (await sharedThreadMemory(log).of(threadId)).queue;
    return { code, outcome, threadId, next };
  } finally {
    printer.close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
    await agent.close();
    await site.close();
    process.off('SIGHUP', hangUp);
  }
}

/** Returns advice about denied calls; undefined when none was denied or the error already contains the advice. */
function deniedAdvice({ advice }: RunnableAgent, { denied, error }: RunTotals): string | undefined {
  return denied.length === 0 || error?.includes(advice) === true ? undefined : advice;
}
