import { setTimeout as wait } from 'node:timers/promises';
import { homedir } from 'node:os';
import type { Redactor } from '../../agents/redaction/redactor.ts';
import { type ImportedSession, importSession } from '../../control/import/import-session.ts';
import {
  type ListedSession,
  listSessions,
  findSessions,
  importableAgents,
  type SessionSource,
} from '../../control/import/session-source.ts';
import { printNotice, standardError, standardOutput } from '../../control/standard-output.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { plainText } from '../../base/terminal-text.ts';
import type { EventLog } from '../../log/event-log.ts';
import { counted } from '../../projections/presentation/wording.ts';
import { printTable } from '../print.ts';
import { ProgressLine } from '../run/progress-line.ts';
import { importFile } from './actions.ts';
import { type ThreadCommandOptions, withLog } from '../settings/site.ts';

export interface ImportCommandOptions extends ThreadCommandOptions {
  readonly all?: boolean;
  readonly watch?: boolean;
  readonly skipSecrets?: boolean;
  readonly title?: string;
}

/** The polling interval of `--watch`, in milliseconds. */
const watchMs = 1_000;

/** `singletree import`: lists the sessions of agents, imports them, or makes a thread from a file of events. */
export async function importCommand(
  source: string | undefined,
  path: string | undefined,
  options: ImportCommandOptions,
): Promise<void> {
  if (source !== undefined && !importableAgents.includes(source)) {
    if (path !== undefined || options.all === true || options.watch === true) throw notAnAgent(source);
    return importFile(source, options);
  }
  await withLog(options, async (log, redactor) => {
    const found = () => findSessions({ home: homedir(), environment: process.env, path }, source);
    if (path === undefined && options.all !== true && options.watch !== true)
      return printSessions(await listSessions(log, found()), options);
    const importing = new ImportRun(log, options, redactor);
    const stop = options.watch === true ? stopSignal() : undefined;
    await importing.takeAll(found());
    await importing.report();
    if (stop !== undefined) await watch(stop, () => importing.takeAll(found()));
    if (importing.failed > 0) process.exitCode = 1;
  });
}

async function printSessions(sessions: readonly ListedSession[], { json }: ThreadCommandOptions): Promise<void> {
  if (json === true) {
    for (const { source, status, threadId } of sessions) {
      const { version: _, id: sessionId, ...session } = source.session;
      await standardOutput.writeJson({ agentId: source.agentId, sessionId, ...session, status, threadId });
    }
    return;
  }
  const projects = new Map<string, ListedSession[]>();
  for (const each of sessions) {
    const project = each.source.session.cwd ?? 'an unknown folder';
    projects.set(project, [...(projects.get(project) ?? []), each]);
  }
  for (const [project, group] of projects) {
    await standardOutput.write(`${plainText(project)}\n`);
    const rows = group.map(({ source: { agentId, session }, status }) => [
      `  ${agentId}`,
      session.updatedAt.slice(0, 10),
      `${(session.bytes / 1000).toFixed(1)} kB`,
      status,
      (session.title ?? session.id).slice(0, 80),
    ]);
    await printTable(rows);
  }
  const news = sessions.filter(({ status }) => status !== 'imported').length;
  await standardOutput.write(
    sessions.length === 0
      ? `No sessions found of ${importableAgents.join(', ')}. Name an agent and a path to look elsewhere.\n`
      : `${counted(sessions.length, 'session')}, ${news} not imported or changed since. Import them: singletree import --all\n`,
  );
}

/** Imports sessions one after the other and reports each that changed. */
class ImportRun {
  readonly #log: EventLog;
  readonly #options: ImportCommandOptions;
  readonly #redactor: Redactor | undefined;
  readonly #counts = { imported: 0, added: 0, branched: 0, unchanged: 0, empty: 0 };
  #secrets = 0;
  failed = 0;

  constructor(log: EventLog, options: ImportCommandOptions, redactor: Redactor) {
    this.#log = log;
    this.#options = options;
    this.#redactor = options.skipSecrets === true ? redactor : undefined;
  }

  async takeAll(sources: AsyncIterable<SessionSource>): Promise<void> {
    const progress = new ProgressLine(standardError);
    for await (const source of sources) {
      const show = (bytes: number) =>
        progress.show(
          `${source.agentId} ${source.session.id}: ${(bytes / 1e6).toFixed(1)} of ${(source.session.bytes / 1e6).toFixed(1)} MB`,
        );
      try {
        const result = await importSession(this.#log, source, {
          ...(this.#redactor && { redactor: this.#redactor }),
          onProgress: show,
        });
        progress.end();
        await this.#took(source, result);
      } catch (error) {
        progress.end();
        this.failed++;
        printNotice(`${source.session.path}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** Prints the number of sessions. */
  async report(): Promise<void> {
    if (this.#options.json === true) return;
    const { imported, added, branched, unchanged, empty } = this.#counts;
    const counts = [
      `${imported} imported`,
      `${added} continued`,
      `${branched} branched`,
      `${unchanged} unchanged`,
      `${empty} empty`,
      `${this.failed} failed`,
    ];
    const secrets = this.#redactor === undefined ? '' : ` Replaced ${counted(this.#secrets, 'secret')}.`;
    await standardOutput.write(
      `${counts.filter(text => !text.startsWith('0 ')).join(', ') || 'No sessions found'}.${secrets}\n`,
    );
  }

  async #took({ agentId, session }: SessionSource, result: ImportedSession): Promise<void> {
    const { threadId, status, events, unreadable, unknown, secrets } = result;
    this.#counts[status]++;
    this.#secrets += secrets;
    if (this.#options.json === true)
      await standardOutput.writeJson({ agentId, sessionId: session.id, path: session.path, ...result });
    else if (status !== 'unchanged' && status !== 'empty')
      await standardOutput.write(`thread ${threadId}: ${counted(events, 'event')} ${status}\n`);
    if (this.#options.json === true || status === 'unchanged') return;
    if (unreadable.count > 0)
      printNotice(
        `${session.path}: ${counted(unreadable.count, 'line')} could not be read and kept as raw lines: ${unreadable.lines.join(', ')}`,
      );
    const kinds = Object.entries(unknown).map(([kind, count]) => `${count} ${kind}`);
    if (kinds.length > 0)
      printNotice(`${session.path}: records of unknown kinds are kept as raw lines: ${kinds.join(', ')}`);
  }
}

/** Returns a signal that aborts on the first interrupt; a second interrupt ends the process at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  return stop.signal;
}

/** Repeats an action until the signal aborts. */
async function watch(signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  printNotice('Following the sessions. Press Ctrl-C to stop.');
  while (!signal.aborted) {
    // Stopping ends the wait.
    await wait(watchMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) await act();
  }
}

function notAnAgent(name: string): SingletreeError {
  return new SingletreeError(
    'invalid_argument',
    `The sessions of "${name}" cannot be imported. Expected one of: ${importableAgents.join(', ')}.`,
  );
}
