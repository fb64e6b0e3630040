import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { redactedEvents } from '../../agents/redaction/redacted-events.ts';
import { ConversationReader } from '../../control/conversations/conversation-reader.ts';
import { importableAgents } from '../../control/import/session-source.ts';
import { Conversations } from '../../control/conversations/conversations.ts';
import type { RewindResult } from '../../control/rewind/rewind-thread.ts';
import { isSameFolder, shortFolder } from '../../control/same-folder.ts';
import { standardError, standardOutput } from '../../control/standard-output.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { visibleLine } from '../../base/terminal-text.ts';
import { createGraph, reduceEvent } from '../../graph/graph.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { Thread } from '../../log/event-log.ts';
import { importThread } from '../../log/jsonl.ts';
import { readEvents } from '../../log/read-events.ts';
import { ageText } from '../../projections/presentation/wording.ts';
import { ThreadView } from '../../terminal/session/run-screen.ts';
import { graphLines } from '../graph-lines.ts';
import { printJson, printResult, printTable } from '../print.ts';
import { listRunIds } from '../../server/run-standings.ts';
import { ProgressLine } from '../run/progress-line.ts';
import { removeRunFolders } from '../run/run-record.ts';
import { singletreeHome } from '../settings/home.ts';
import { findRewindTarget, findThread, shortIds } from './find-thread.ts';
import { findInterrupted, interruptedFields, resumeLines } from './interrupted-threads.ts';
import { ThreadPrinter } from './thread-printer.ts';
import { type ThreadCommandOptions, withLog } from '../settings/site.ts';

/** `singletree threads`: the newest threads. */
export function listThreads(options: ThreadCommandOptions & { readonly limit: number }): Promise<void> {
  return withLog(options, async log => {
    const threads: Thread[] = [];
    for await (const thread of allThreads(log)) {
      if (threads.length >= options.limit) break;
      threads.push(thread);
    }
    const reader = new ConversationReader(log);
    const interrupted = await findInterrupted(log, threads);
    const listed = await Promise.all(
      threads.map(async thread => ({
        ...(await summarize(reader, thread)),
        agent: (await reader.findAgent(thread)) ?? '',
        folder: await reader.digests.findStartFolder(thread),
      })),
    );
    if (options.json === true)
      return printJson(listed.map(each => ({ ...each, ...interruptedFields(interrupted, each.id) })));
    const ids = shortIds(listed.map(({ id }) => id));
    const rows = listed.map(({ id, status, agent, folder = '', updatedAt, title = 'Untitled' }) => [
      ids.get(id) ?? id,
      status,
      agent,
      isSameFolder(folder, process.cwd()) ? '.' : shortFolder(folder),
      ageText(Date.now() - Date.parse(updatedAt)),
      title.slice(0, 80),
    ]);
    await printTable(rows);
    for (const { id, status, problem } of listed)
      if (status === 'queued' && problem !== undefined)
        await standardOutput.write(`\n${ids.get(id) ?? id}: ${visibleLine(problem)}\n`);
    if (rows.length === 0)
      await standardOutput.write('No threads yet. Start one: singletree, or singletree run <agent> "…"\n');
    if (interrupted.size > 0)
      await standardOutput.write(`\nTo resume what is interrupted:\n${resumeLines(interrupted)}`);
  });
}

/** Returns the JSON summary of a thread that commands print. */
async function summarize(reader: ConversationReader, thread: Thread) {
  const { id, title, resourceId, createdAt, updatedAt, seq, branchedFrom } = thread;
  const { state: status, problem } = await reader.status(thread);
  return { id, title, status, problem, resourceId, createdAt, updatedAt, seq, branchedFrom };
}

/** `singletree show`: a thread with the rows of the chat, in a pipe as plain text, or its events as JSON; with `follow` until it is interrupted. */
export function showThread(text: string, options: ThreadCommandOptions & { readonly follow?: boolean }): Promise<void> {
  return withLog(options, async (log, redactor) => {
    const thread = await findThread(log, text);
    const { id } = thread;
    const isFollowed = options.follow === true;
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    const found = isFollowed ? log.tail(id, 0, { signal: stop.signal }) : readEvents(log, id);
    const events = redactedEvents(found, redactor);
    if (options.json === true) return printJson(events);
    const cwd = (await new ConversationReader(log).digests.findStartFolder(thread)) ?? process.cwd();
    const printer = new ThreadPrinter({ view: await ThreadView.open(log, id, 0), cwd, isFollowed });
    for await (const event of events) if (!(await printer.take(event))) return;
    await printer.close();
  });
}

/** `singletree import <file>`: creates a thread from exported lines; it does not run until a user continues it. */
export function importFile(file: string, options: ThreadCommandOptions & { readonly title?: string }): Promise<void> {
  return withLog(options, async log => {
    if (file !== '-' && !existsSync(file))
      throw new SingletreeError(
        'invalid_argument',
        `There is no file "${file}". Name a file that singletree export wrote, "-" for standard input, or one of these agents: ${importableAgents.join(', ')}.`,
      );
    const source = file === '-' ? process.stdin : createReadStream(file);
    const progress = new ProgressLine(standardError);
    let bytes = 0;
    const counted = (async function* () {
      for await (const piece of source as AsyncIterable<Uint8Array>) {
        bytes += piece.length;
        progress.show(`read ${(bytes / 1e6).toFixed(1)} MB`);
        yield piece;
      }
    })();
    const title = defined({ title: options.title });
    const thread = await importThread(log, counted, title).finally(() => progress.end());
    const summary = await summarize(new ConversationReader(log), thread);
    await printResult(options, summary, `thread ${thread.id}: ${thread.seq} events`);
  });
}

/** `singletree branch`: a new thread that shares the events up to a seq. */
export function branchCommand(
  text: string,
  options: ThreadCommandOptions & { readonly at?: number; readonly title?: string },
): Promise<void> {
  return withLog(options, async log => {
    const { id, seq, title } = await findThread(log, text);
    const name = options.title ?? title;
    const branch = await log.branch(id, options.at ?? seq, name === undefined ? {} : { title: name });
    const summary = await summarize(new ConversationReader(log), branch);
    await printResult(options, summary, `thread ${branch.id}: ${branch.seq} events shared`);
  });
}

/** `singletree rm`: deletes a thread, by its whole id or after `--yes`. */
export function removeCommand(text: string, options: ThreadCommandOptions & { readonly yes?: boolean }): Promise<void> {
  return withLog(options, async log => {
    const thread = await findThread(log, text);
    if (thread.id !== text && options.yes !== true)
      throw new SingletreeError(
        'invalid_argument',
        `This would delete "${thread.title ?? 'Untitled'}" (${thread.id}). Repeat it with --yes, or with the whole id.`,
      );
    const conversations = new Conversations({ log });
    const { state } = await conversations.status(thread);
    if (state !== 'interrupted') await conversations.checkIdle(thread, 'it cannot be deleted.');
    const remove = async () => {
      await removeRunFolders(singletreeHome(), await listRunIds(log, thread));
      await log.deleteThread(thread.id);
    };
    await conversations.delete(thread.id, { remove });
    await printResult(options, { id: thread.id, deleted: true }, `deleted ${thread.id}`);
  });
}

/** `singletree graph`: the graph of a thread as a tree, or its nodes as JSON. */
export function graphCommand(text: string, options: ThreadCommandOptions): Promise<void> {
  return withLog(options, async log => {
    const { id } = await findThread(log, text);
    let graph = createGraph();
    for await (const event of readEvents(log, id)) graph = reduceEvent(graph, event);
    if (options.json === true)
      return printJson([...graph.nodes.values()].map(node => ({ ...node, children: graph.edges.get(node.id) ?? [] })));
    for (const line of graphLines(graph)) await standardOutput.write(`${line}\n`);
  });
}

/** `singletree undo` and `redo`: rewinds a turn and the files that it changed. */
export function rewindCommand(
  direction: 'undo' | 'redo',
  text: string | undefined,
  options: ThreadCommandOptions & {
    readonly preview?: boolean;
    readonly force?: boolean;
    readonly message?: string;
    readonly yes?: boolean;
  },
): Promise<void> {
  return withLog(options, async log => {
    const conversations = new Conversations({ log, snapshots: join(singletreeHome(), 'snapshots') });
    const { rewind } = conversations;
    const { message: messageId, force = false, preview: isPreview = false, yes = false } = options;
    const { id } = await findRewindTarget(log, rewind, { direction, text, yes: yes || isPreview });
    const named = messageId === undefined ? {} : { messageId };
    const preview = () => (direction === 'undo' ? rewind.previewUndo(id, messageId) : rewind.previewRedo(id));
    const act = () =>
      direction === 'undo' ? conversations.undo(id, { ...named, force }) : conversations.redo(id, { force });
    const result = isPreview ? await preview() : await act();
    if (options.json === true) {
      await standardOutput.writeJson(result);
      return;
    }
    for (const { folder, files } of result.folders)
      for (const { path, action, isConflict } of files)
        await standardOutput.write(`${isConflict ? 'conflict' : action}  ${visibleLine(join(folder, path))}\n`);
    for (const warning of result.warnings) await standardOutput.write(`${visibleLine(warning)}\n`);
    if (!('threadId' in result)) return;
    const { threadId } = result as RewindResult;
    const skipped = result.folders.flatMap(({ files }) => files.filter(({ isConflict }) => isConflict && !force));
    if (skipped.length > 0)
      await standardOutput.write(
        'Files in conflict were changed by somebody else since and are left alone; --force rewinds them too.\n',
      );
    await standardOutput.write(`continue in thread ${threadId}\n`);
  });
}
