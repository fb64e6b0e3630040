import { userInfo } from 'node:os';
import type { RelayAnswer } from '../../agents/contract/host.ts';
import { Conversations } from '../../control/conversations/conversations.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { checkAnswer } from '../../control/supervision/resolve-relay.ts';
import { checkOutsideRuns } from '../../control/conversations/inside-run.ts';
import { findInterruptedRun } from '../../control/supervision/open-runs.ts';
import { RelayBooks, type ThreadRelay } from '../../control/conversations/relay-books.ts';
import { possibleAnswers } from '../../projections/possible-answers.ts';
import { oneLine, type CallPlace } from '../../projections/presentation/present-call.ts';
import { ageText } from '../../projections/presentation/wording.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { ThreadDigests } from '../../control/threads/thread-folds.ts';
import { builtInIds, ownAgents } from '../agents/own-agents.ts';
import { questionAnswer, relayText } from '../relay-prompts/relay-text.ts';
import { resumeCommand } from '../../control/conversations/conversation-reader.ts';
import { runAtTerminal } from '../run/run-at-terminal.ts';
import { loadSettings } from '../settings/settings.ts';
import { storeUrls } from '../settings/store-options.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { printJson, printResult, printTable, writeProse } from '../print.ts';
import { shortest, shortIds } from './find-thread.ts';
import { findInterrupted, interruptedFields, resumeLines } from './interrupted-threads.ts';
import { type ThreadCommandOptions, withConfiguredLog, withLog } from '../settings/site.ts';
import { standardError, standardOutput } from '../../control/standard-output.ts';

/** `singletree inbox`: lists pending relays, oldest first; for interrupted runs with the command that resumes them. */
export function listInbox(options: ThreadCommandOptions): Promise<void> {
  return withLog(options, async log => {
    const pending = await new RelayBooks(log).list();
    const interrupted = await findInterrupted(
      log,
      pending.map(({ thread }) => thread),
    );
    if (options.json === true)
      return printJson(
        pending.map(({ thread: { id }, entry }) => ({ threadId: id, ...entry, ...interruptedFields(interrupted, id) })),
      );
    const threads = shortIds(pending.map(({ thread }) => thread.id));
    const rows = pending.map(({ thread, entry }, index) => ({
      entry,
      thread,
      number: String(index + 1),
      state: interrupted.has(thread.id) ? 'interrupted' : '',
      threadId: threads.get(thread.id) ?? '',
      age: entry.since === undefined ? '' : ageText(Date.now() - Date.parse(entry.since)),
    }));
    if (standardOutput.isTerminal) for (const row of rows) await drawAsked(log, row);
    else {
      const cells = rows.map(({ entry: { relay }, number, state, threadId, age }) => {
        return [number, relay.relayKind, state, threadId, age, oneLine(presentRelay(relay).summary, 120)];
      });
      await printTable(cells);
    }
    await writeProse(
      rows.length === 0
        ? ['Nothing waits for you.']
        : [
            '',
            'To read one whole: singletree inbox show 1',
            'To answer: singletree inbox approve 1 (or reject, revise, answer)',
            ...(interrupted.size === 0 ? [] : ['An answer resumes an interrupted run here; so does']),
          ],
    );
    if (interrupted.size > 0) await standardOutput.write(resumeLines(interrupted));
  });
}

/** The maximum number of diff lines that the list draws per relay. */
const mostListed = 12;

interface AskedRow extends Pick<ThreadRelay, 'thread' | 'entry'> {
  readonly number: string;
  readonly state: string;
  readonly threadId: string;
  readonly age: string;
}

/** Draws a relay as the chat does, with its number, thread and age. */
async function drawAsked(log: EventLog, { thread, entry, number, state, threadId, age }: AskedRow): Promise<void> {
  const facts = [state, `thread ${threadId}`, age === '' ? '' : `${age} ago`].filter(fact => fact !== '');
  const text = relayText(entry.relay, {
    place: await readPlace(log, thread),
    mark: `${number}. `,
    mostDiff: mostListed,
    hint: `singletree inbox show ${number}`,
    facts,
  });
  await standardOutput.writeDrawn(number === '1' ? text : `\n${text}`);
}

/** Returns the folder of the thread, to which shown paths are relative. */
async function readPlace(log: EventLog, thread: Thread): Promise<CallPlace> {
  return { cwd: (await new ThreadDigests(log).findFolder(thread)) ?? process.cwd() };
}

/** `singletree inbox show`: prints a whole relay as a terminal asks it, with the possible answers. */
export function showInbox(named: string, options: ThreadCommandOptions): Promise<void> {
  return withLog(options, async log => {
    const { thread, entry } = relayNamed(await new RelayBooks(log).list(), named);
    if (options.json === true) await standardOutput.writeJson({ threadId: thread.id, ...entry });
    else {
      const facts = [`answers: ${possibleAnswers(entry.relay).join(', ')}`];
      await standardOutput.writeDrawn(relayText(entry.relay, { place: await readPlace(log, thread), facts }));
    }
  });
}

export interface AnswerOptions extends ThreadCommandOptions {
  /** Whether an interrupted run may be resumed here; commander's `--no-resume`. */
  readonly resume?: boolean;
  readonly reason?: string;
  readonly remember?: 'once' | 'thread' | 'category';
}

/**
 * `singletree inbox approve|reject|revise|answer`: answers a relay by its number or id. A run that no process owns is
 * resumed here until its turn ends. Returns the exit code.
 */
export async function answerInbox(
  outcome: 'approve' | 'reject' | 'revise' | 'answer',
  [named, value]: readonly [string, string | undefined],
  options: AnswerOptions,
): Promise<number> {
  const { config } = await loadSettings('.');
  const resumed = await withConfiguredLog(options, config, async (log): Promise<ResumedRun | undefined> => {
    const { thread, entry } = relayNamed(await new RelayBooks(log).list(), named);
    await checkOutsideRuns(log, thread);
    const answer: Omit<RelayAnswer, 'relayId'> = {
      outcome,
      by: userInfo().username,
      ...defined({ feedback: options.reason, remember: options.remember }),
      ...(outcome === 'revise' && value !== undefined && { input: parsed(value) }),
      ...(outcome === 'answer' && value !== undefined && { answer: questionAnswer(entry.relay, value) }),
    };
    const interrupted = await findInterruptedRun(log, thread);
    if (interrupted !== undefined) {
      checkAnswer(entry.relay, answer);
      const { agentId } = interrupted;
      if (options.resume === false) throw notResumed(agentId, thread.id);
      const cwd = await new ThreadDigests(log).findFolder(thread);
      if (await isRunnableIn(cwd ?? '.', agentId))
        return { agentId, threadId: thread.id, cwd, answer: { relayId: entry.relay.id, ...answer } };
      await standardError.write(
        `The run is interrupted, and resumes when a process with its agent "${agentId}" starts.\n`,
      );
    }
    await new Conversations({ log }).answer(thread.id, entry.relay.id, answer);
    const stored = { threadId: thread.id, relayId: entry.relay.id, ...answer };
    await printResult(options, stored, `${outcome}: ${presentRelay(entry.relay).summary}`);
    return undefined;
  });
  if (resumed === undefined) return 0;
  const { agentId: name, threadId, cwd, answer } = resumed;
  await standardError.write('No process runs this thread any more: it is resumed here. Ctrl-C stops it.\n');
  try {
    return await runAtTerminal(
      { name, prompt: undefined, extraArgs: [], answer },
      {
        ...storeUrls(options, process.env, config),
        ...defined({ cwd }),
        resume: threadId,
        wait: true,
        output: options.json === true ? 'events' : 'text',
      },
    );
  } catch (error) {
    if (!SingletreeError.is(error, 'run_under_way')) throw error;
    await standardError.write('Another process has resumed it meanwhile, and gets the answer.\n');
    const { relayId, ...given } = answer;
    await withConfiguredLog(options, config, log => new Conversations({ log }).answer(threadId, relayId, given));
    return 0;
  }
}

/** A run that is resumed with an answer. */
interface ResumedRun {
  readonly agentId: string;
  readonly threadId: string;
  /** The folder that it works in. */
  readonly cwd: string | undefined;
  readonly answer: RelayAnswer;
}

async function isRunnableIn(folder: string, agentId: string): Promise<boolean> {
  return (
    builtInIds.includes(agentId) || ownAgents((await loadSettings(folder)).config).some(({ id }) => id === agentId)
  );
}

function notResumed(agentId: string, threadId: string): SingletreeError {
  return new SingletreeError(
    'run_interrupted',
    `No process runs this thread any more, and --no-resume keeps it so: nothing was answered. To resume it, which asks again: ${resumeCommand(agentId, threadId)}`,
    { details: { threadId } },
  );
}

function relayNamed(pending: readonly ThreadRelay[], named: string): ThreadRelay {
  const byNumber = /^\d{1,4}$/.test(named) ? pending[Number(named) - 1] : undefined;
  const begins = pending.filter(({ entry }) => named.length >= shortest && entry.relay.id.startsWith(named));
  const found =
    byNumber ??
    (named === 'last' ? pending.at(-1) : (begins.find(({ entry }) => entry.relay.id === named) ?? begins[0]));
  if (found !== undefined && (begins.length < 2 || found.entry.relay.id === named)) return found;
  if (begins.length > 1)
    throw new SingletreeError(
      'relay_not_found',
      `"${named}" is the beginning of ${begins.length} questions. Write more of the id, or its number in the list.`,
    );
  throw new SingletreeError(
    'relay_not_found',
    `Nothing waits under "${named}". Expected a number or an id that \`singletree inbox\` lists.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SingletreeError('invalid_argument', 'The revised input is not JSON. Expected one JSON object.', {
      cause,
    });
  }
}
