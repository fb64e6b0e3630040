import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { defined } from '../../../../base/defined.ts';
import { hasSameKey, rowLine } from '../../sessions/database-copy.ts';
import { PlainTurn } from '../../sessions/plain-turn.ts';
import { readContentParts, toContent, writeImage } from '../../sessions/prompt-parts.ts';
import { filesAt } from '../../sessions/session-files.ts';
import type { IncludedFile, SessionFormat, SessionPlace, SessionReader } from '../../sessions/session-format.ts';
import { type SessionIds, SessionTurns } from '../../sessions/session-turns.ts';
import {
  recordTimes,
  type SessionToWrite,
  shortId,
  writeBlocks,
  writtenCalls,
  type WrittenSession,
} from '../../sessions/written-session.ts';
import { joinedText, toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { readToolOutput, readUsage } from './wire.ts';

/** Reads the sessions of Cline: `sessions/<id>/<id>.json`, with messages and subagents in adjacent documents. */
export const clineSession: SessionFormat = {
  async *find({ home, environment, path }) {
    const folder = sessionsFolder({ home, environment });
    const isManifest = (file: string) => basename(dirname(file)) === basename(file, '.json');
    for await (const file of filesAt(path ?? folder, isManifest)) {
      const manifest = readDocument(file);
      const messages = statSync(messagesFile(file), { throwIfNoEntry: false });
      const id = toText(manifest?.['session_id']);
      if (manifest === undefined || messages === undefined || id === undefined) continue;
      const { size, mtime, mtimeMs } = messages;
      const title = toText(toRecord(manifest['metadata'])?.['title']) ?? toText(manifest['prompt']);
      const details = { cwd: toText(manifest['cwd']), createdAt: toText(manifest['started_at']), title };
      yield {
        id,
        path: file,
        bytes: size,
        updatedAt: mtime.toISOString(),
        version: `${size} ${mtimeMs}`,
        ...defined(details),
      };
    }
  },
  async *lines({ path, id }, file) {
    const name = file === undefined ? messagesFile(path) : join(dirname(path), `${file}.messages.json`);
    const { messages, ...document } = readDocument(name) ?? {};
    if (file === undefined) yield rowLine(id, { session: readDocument(path), document, agents: findAgents(path) });
    else yield rowLine(file, { document });
    for (const [index, message] of toList(messages).entries())
      yield rowLine(toRecord(message)?.['id'] ?? index, { message });
  },
  isSameLine: hasSameKey,
  reader: ids => new ClineSessionReader(ids),
  write: writeClineSession,
  // Print mode resumes nothing without a terminal.
  handOver: (channel, place) =>
    channel === 'live'
      ? { by: 'store', findFolder: sessionId => join(sessionsFolder(place), sessionId) }
      : { by: 'prompt' },
  remove: (id, place) => ({
    paths: [join(sessionsFolder(place), id)],
    args: ['history', 'delete', '--session-id', id],
    isUnknown: /not found/i,
  }),
};

function sessionsFolder({ home, environment }: SessionPlace): string {
  return join(environment['CLINE_DATA_DIR'] ?? join(home, '.cline', 'data'), 'sessions');
}

function messagesFile(manifest: string): string {
  return manifest.replace(/\.json$/, '.messages.json');
}

function readDocument(path: string): WireRecord | undefined {
  try {
    return toRecord(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined; // It is missing or damaged: the caller reports it.
  }
}

/** Returns the subagents of a session with their tasks, which identify their calls. */
function findAgents(path: string): WireRecord[] {
  const names = readdirSync(dirname(path)).filter(name => /^agent_[\w-]+\.messages\.json$/.test(name));
  return names.map(file => {
    const [first] = toList(readDocument(join(dirname(path), file))?.['messages']);
    return { name: file.replace('.messages.json', ''), task: joinedText(toRecord(first)?.['content']) };
  });
}

/** Reads the messages of a session. */
class ClineSessionReader implements SessionReader {
  readonly turns: SessionTurns<PlainTurn>;
  /** The files of subagents that were not read, by task, and the calls of those that were. */
  readonly #files = new Map<string, string>();
  readonly #callOf = new Map<string, string>();

  constructor(ids: SessionIds) {
    this.turns = new SessionTurns(ids, context => new PlainTurn(context));
  }

  before(record: WireRecord): readonly IncludedFile[] {
    const { runId } = this.turns;
    return readResults(record).flatMap(({ tool_use_id: id }) => {
      const [[name] = []] = [...this.#callOf].filter(([, callId]) => callId === id);
      return name === undefined || runId === undefined ? [] : [{ name, runId: `${runId}/${String(id)}/run` }];
    });
  }

  take(record: WireRecord, file?: string): boolean {
    const { turns } = this;
    const session = toRecord(record['session']);
    if (session !== undefined) {
      turns.cwd = toText(session['cwd']);
      turns.model = toText(session['model']);
      turns.at(session['started_at']);
      for (const agent of toList(record['agents'])) {
        const { name, task } = toRecord(agent) ?? {};
        this.#files.set(String(task), String(name));
      }
      return true;
    }
    const message = toRecord(record['message']);
    if (message === undefined) return record['document'] !== undefined;
    turns.at(message['ts']);
    const key = toText(message['id']);
    const results = readResults(record);
    const blocks = toList(message['content']);
    if (message['role'] === 'assistant') this.#assistant(message, { key, file });
    else if (results.length > 0) turns.read(turn => results.forEach(block => takeResult(turn, block)), { key });
    else if (file === undefined) {
      const parts = readContentParts(typeof message['content'] === 'string' ? message['content'] : blocks);
      const said = toContent(parts.map(part => (part.type === 'text' ? { ...part, text: unwrap(part.text) } : part)));
      if (said !== undefined) turns.prompt(said, { key });
    }
    return true;
  }

  pause(): void {
    this.turns.pause();
  }

  #assistant(message: WireRecord, { key, file }: { key: string | undefined; file: string | undefined }): void {
    const { turns } = this;
    const model = toText(toRecord(message['modelInfo'])?.['id']);
    turns.model = model ?? turns.model;
    const content = message['content'];
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : toList(content);
    turns.read(
      turn => {
        const runId = file === undefined ? turn.context.runId : turn.children.get(this.#callOf.get(file) ?? '')?.runId;
        for (const block of blocks) this.#block(turn, toRecord(block) ?? {}, runId);
        const usage = readUsage(toRecord(message['metrics']));
        turn.usage(usage && { ...usage, ...defined({ model }) }, runId);
      },
      { key },
    );
    if (file === undefined) turns.done(!blocks.some(block => toRecord(block)?.['type'] === 'tool_use'));
  }

  #block(turn: PlainTurn, block: WireRecord, runId: string | undefined): void {
    const { type, text, thinking, input = {} } = block;
    if (type === 'text' && typeof text === 'string') turn.say('text', text, runId);
    else if (type === 'thinking' && typeof thinking === 'string') turn.say('reasoning', thinking, runId);
    const rawId = type === 'tool_use' ? toText(block['id']) : undefined;
    if (rawId === undefined) return;
    const { id: parentId } = turn.call(rawId, toText(block['name']) ?? 'tool_use', input, runId);
    const task = toText(toRecord(input)?.['task']);
    const file = task === undefined ? undefined : this.#files.get(task);
    if (block['name'] !== 'spawn_agent' || file === undefined) return;
    this.#files.delete(task ?? '');
    this.#callOf.set(file, rawId);
    turn.children.start(rawId, { id: rawId, parentId });
  }
}

function readResults(record: WireRecord): WireRecord[] {
  return toList(toRecord(record['message'])?.['content']).flatMap(value => {
    const block = toRecord(value);
    return block?.['type'] === 'tool_result' ? [block] : [];
  });
}

function takeResult(turn: PlainTurn, block: WireRecord): void {
  const rawId = toText(block['tool_use_id']) ?? '';
  const call = turn.openCall(rawId);
  const output = readToolOutput({ output: readContent(block['content']) }, call?.name ?? '');
  const answer = 'context' in output ? toText(output.context) : 'error' in output ? output.error : output.reason;
  turn.children.end(rawId, 'context' in output ? 'complete' : 'error', answer);
  if (!turn.result(rawId, output)) turn.context.unknown(block);
}

/** Returns the output of a tool: that of a subagent is JSON in a text. */
function readContent(content: unknown): unknown {
  try {
    return typeof content === 'string' && content.startsWith('{') ? (JSON.parse(content) as unknown) : content;
  } catch {
    return content;
  }
}

/** Returns the text of a user message without the markup that the program adds. */
function unwrap(text: string): string {
  return /^\s*<user_input[^>]*>(.*)<\/user_input>\s*$/s.exec(text)?.[1] ?? text;
}

/**
 * The program finds no session without `pid`, `interactive`, the names of a provider and a model, the `enable_` fields
 * and the whole path of the messages.
 */
function writeClineSession({ messages, cwd, time, findFolder }: SessionToWrite): WrittenSession {
  const sessionId = `${time}_${shortId(5)}`;
  const next = recordTimes(time);
  const written: unknown[] = [];
  const add = (role: 'user' | 'assistant', content: unknown) =>
    written.push({ id: `msg_${shortId(8)}`, role, content, ts: next().getTime() });
  for (const message of messages) {
    if (message.role === 'user') add('user', writeBlocks(message.parts, writeImage));
    else
      add(
        'assistant',
        message.parts.map(part =>
          part.type === 'text' ? part : { type: 'tool_use', id: part.id, name: part.name, input: part.input },
        ),
      );
    const results = writtenCalls(message).map(({ id, name, output, isError }) => ({
      type: 'tool_result',
      tool_use_id: id,
      name,
      content: output,
      ...(isError && { is_error: true }),
    }));
    if (results.length > 0) add('user', results);
  }
  const [startedAt, updatedAt] = [new Date(time).toISOString(), next().toISOString()];
  const name = `${sessionId}.messages.json`;
  const manifest = {
    version: 1,
    session_id: sessionId,
    source: 'cli',
    pid: 1,
    started_at: startedAt,
    ended_at: updatedAt,
    exit_code: 0,
    status: 'completed',
    interactive: false,
    provider: 'singletree',
    model: 'none',
    cwd,
    workspace_root: cwd,
    enable_tools: true,
    enable_spawn: true,
    enable_teams: true,
    prompt: '',
    metadata: {},
    messages_path: join(findFolder(sessionId), name),
  };
  const document = { version: 1, updated_at: updatedAt, agent: 'lead', sessionId, messages: written };
  const continueFrom = (path: string) =>
    `cp -r ${dirname(path)} ~/.cline/data/sessions/${sessionId} && cline --tui --id ${sessionId}`;
  return {
    sessionId,
    continueFrom,
    files: [
      { name: `${sessionId}.json`, text: JSON.stringify(manifest) },
      { name, text: JSON.stringify(document) },
    ],
  };
}
