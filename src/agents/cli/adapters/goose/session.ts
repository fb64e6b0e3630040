import { join } from 'node:path';
import { defined } from '../../../../base/defined.ts';
import { hasSameKey, isDatabase, queryDatabase, removeCopy, rowLine } from '../../sessions/database-copy.ts';
import { PlainTurn } from '../../sessions/plain-turn.ts';
import { readContentParts, toContent } from '../../sessions/prompt-parts.ts';
import type { IncludedFile, SessionFormat, SessionReader, SessionRemoval } from '../../sessions/session-format.ts';
import { type SessionIds, SessionTurns } from '../../sessions/session-turns.ts';
import {
  type SessionToWrite,
  shortId,
  toJsonLines,
  writeBlocks,
  writtenCalls,
  type WrittenSession,
} from '../../sessions/written-session.ts';
import { joinedText, toList, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { readMessageUsage, readToolCall, readToolOutput } from './wire.ts';

/** The sessions of Goose, in its SQLite database. */
export const gooseSession: SessionFormat = {
  async *find({ home, environment, path }) {
    const data = environment['XDG_DATA_HOME'] ?? join(home, '.local', 'share');
    const file = path ?? join(data, 'goose', 'sessions', 'sessions.db');
    if (!isDatabase(file)) return;
    try {
      const sessions = queryDatabase(
        file,
        `SELECT s.id, s.name, s.description, s.working_dir, s.created_at, s.updated_at, count(m.id) AS messages,
           max(m.id) AS newest, coalesce(sum(length(m.content_json)), 0) AS bytes
         FROM sessions s LEFT JOIN messages m ON m.session_id = s.id
         WHERE s.parent_session_id IS NULL GROUP BY s.id`,
      );
      for (const row of sessions) {
        const { id, updated_at: updated, messages, newest, bytes } = row;
        yield {
          id: String(id),
          path: file,
          bytes: Number(bytes),
          updatedAt: readTime(updated) ?? new Date(0).toISOString(),
          version: [updated, messages, newest, bytes].map(String).join(' '),
          ...defined({
            cwd: toText(row['working_dir']),
            title: toText(row['description']) ?? toText(row['name']),
            createdAt: readTime(row['created_at']),
          }),
        };
      }
    } finally {
      removeCopy();
    }
  },
  async *lines({ id, path }, file = id) {
    for (const row of queryDatabase(path, 'SELECT * FROM sessions WHERE id = ?', file))
      yield rowLine(row['id'], { session: row });
    const messages = queryDatabase(
      path,
      'SELECT id FROM messages WHERE session_id = ? ORDER BY created_timestamp, id',
      file,
    );
    for (const { id: key } of messages)
      for (const row of queryDatabase(path, 'SELECT * FROM messages WHERE id = ?', Number(key)))
        yield rowLine(row['message_id'] ?? key, { message: row });
  },
  isSameLine: hasSameKey,
  reader: ids => new GooseSessionReader(ids),
  write: writeGooseSession,
  handOver: () => ({ by: 'import', args: path => ['session', 'import', path], readId: readImportedId }),
  remove: removeOverAcp,
  isUnknown: /^Error: No session found with name/,
};

/** Reads the rows of a session. */
class GooseSessionReader implements SessionReader {
  readonly turns: SessionTurns<PlainTurn>;
  /** The calls that started subagents, by their sessions. */
  readonly #callOf = new Map<string, string>();
  /** Whether the earlier messages were condensed: the prompt after the summary repeats an existing one. */
  #isCondensed = false;

  constructor(ids: SessionIds) {
    this.turns = new SessionTurns(ids, context => new PlainTurn(context));
  }

  before(record: WireRecord): readonly IncludedFile[] {
    const { runId } = this.turns;
    return (readMessage(record)?.content ?? []).flatMap(block => {
      const callId = toText(block['id']);
      const name = block['type'] === 'toolResponse' ? readToolOutput(block).meta.sessionId : undefined;
      if (name === undefined || callId === undefined || runId === undefined || this.#callOf.has(name)) return [];
      this.#callOf.set(name, callId);
      return [{ name, runId: `${runId}/${callId}/run` }];
    });
  }

  take(record: WireRecord, file?: string): boolean {
    const { turns } = this;
    const session = toRecord(record['session']);
    if (session !== undefined) {
      if (file === undefined) turns.cwd = toText(session['working_dir']);
      return true;
    }
    const message = readMessage(record);
    if (message === undefined) return false;
    const { row, role, content, metadata } = message;
    turns.at((toNumber(row['created_timestamp']) ?? Number.NaN) * 1000);
    const key = toText(row['message_id']);
    const isHidden = metadata['userVisible'] === false;
    const said = role === 'user' && file === undefined && !isHidden ? toContent(readContentParts(content)) : undefined;
    if (content.some(block => block['type'] === 'toolResponse')) {
      for (const block of content)
        if (block['type'] === 'toolResponse') turns.read(turn => takeResponse(turn, block), { key });
    } else if (said !== undefined) turns.prompt(said, { key });
    else if (role === 'assistant' && !isHidden) this.#assistant(message, { key, file });
    else if (role === 'user' && isHidden && metadata['turnContext'] !== true && file === undefined) {
      // The first of the messages that only the model is sent is the summary; then the prompt is repeated.
      if (!this.#isCondensed) turns.summarise(joinedText(content) ?? '', {});
      this.#isCondensed = true;
    }
    if (role === 'assistant' && !isHidden) this.#isCondensed = false;
    return true;
  }

  pause(): void {
    this.turns.pause();
  }

  #assistant(
    { content, metadata }: GooseRow,
    { key, file }: { key: string | undefined; file: string | undefined },
  ): void {
    const { turns } = this;
    const model = toText(toRecord(metadata['inference'])?.['requestedModel']);
    turns.model = model ?? turns.model;
    turns.read(
      turn => {
        const runId = file === undefined ? turn.context.runId : turn.children.get(this.#callOf.get(file) ?? '')?.runId;
        for (const block of content) takeBlock(turn, block, runId);
        const usage = readMessageUsage(toRecord(metadata['usage']));
        turn.usage(usage && { ...usage, ...defined({ model }) }, runId);
      },
      { key },
    );
    if (file === undefined) turns.done(!content.some(block => block['type'] === 'toolRequest'));
  }
}

interface GooseRow {
  readonly row: WireRecord;
  readonly role: unknown;
  readonly content: readonly WireRecord[];
  readonly metadata: WireRecord;
}

function readMessage(record: WireRecord): GooseRow | undefined {
  const row = toRecord(record['message']);
  try {
    if (row === undefined) return undefined;
    const blocks = toList(JSON.parse(String(row['content_json']))).map(toRecord);
    const content = blocks.filter(block => block !== undefined);
    const metadata = toRecord(JSON.parse(toText(row['metadata_json']) ?? '{}')) ?? {};
    return { row, role: row['role'], content, metadata };
  } catch {
    return undefined; // The record is kept as it is.
  }
}

function takeBlock(turn: PlainTurn, block: WireRecord, runId: string | undefined): void {
  const { type, text, thinking } = block;
  if (type === 'text' && typeof text === 'string') turn.say('text', text, runId);
  else if (type === 'thinking' && typeof thinking === 'string') turn.say('reasoning', thinking, runId);
  const call = type === 'toolRequest' ? readToolCall(block) : undefined;
  if (call === undefined) return;
  const { rawId, name, input } = call;
  const { id: parentId } = turn.call(rawId, name, input, runId);
  if (/^(summon__)?delegate$/.test(name))
    turn.children.start(rawId, { id: rawId, parentId, agentId: toText(toRecord(input)?.['source']) });
}

function takeResponse(turn: PlainTurn, block: WireRecord): void {
  const rawId = toText(block['id']) ?? '';
  const { output } = readToolOutput(block);
  const answer = 'context' in output ? toText(output.context) : 'error' in output ? output.error : output.reason;
  turn.children.end(rawId, 'context' in output ? 'complete' : 'error', answer);
  if (!turn.result(rawId, output)) turn.context.unknown(block);
}

/** Returns the time that SQLite wrote, which is in UTC. */
function readTime(value: unknown): string | undefined {
  const ms = Date.parse(`${toText(value)?.replace(' ', 'T') ?? ''}Z`);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** The default extensions of Goose, for a written session: without them, a session has no tools over ACP. */
const writtenExtensions = [
  ['developer', 'Developer'],
  ['analyze', 'Analyze'],
  ['skills', 'Skills'],
  ['summon', 'Summon'],
  ['Extension Manager', 'Extension Manager'],
].map(([name, title]) => ({ type: 'platform', name, description: '', display_name: title, bundled: true }));

/** Reads the id that Goose assigns to an imported session. */
function readImportedId(output: string): string | undefined {
  return /^(\d{8}_\d+)\b/m.exec(output)?.[1];
}

/** Writes the document for `goose session import`, which assigns another id to the session. */
function writeGooseSession({ messages, cwd, time }: SessionToWrite): WrittenSession {
  const conversation: unknown[] = [];
  // Messages are ordered by whole seconds.
  let created = Math.floor(time / 1000) - 3 * messages.length;
  const add = (role: 'user' | 'assistant', content: unknown) =>
    conversation.push({
      id: `msg_${shortId(24)}`,
      role,
      created: created++,
      content,
      metadata: { userVisible: true, agentVisible: true },
    });
  for (const message of messages) {
    if (message.role === 'user') {
      const image = ({ data, mediaType }: { data: string; mediaType: string }) => ({
        type: 'image',
        data,
        mimeType: mediaType,
      });
      add('user', writeBlocks(message.parts, image));
      continue;
    }
    add(
      'assistant',
      message.parts.map(part =>
        part.type === 'text'
          ? part
          : {
              type: 'toolRequest',
              id: part.id,
              toolCall: { status: 'success', value: { name: part.name, arguments: part.input } },
            },
      ),
    );
    const results = writtenCalls(message).map(({ id, output, isError }) => ({
      type: 'toolResponse',
      id,
      toolResult: { status: 'success', value: { content: [{ type: 'text', text: output }], isError } },
    }));
    if (results.length > 0) add('user', results);
  }
  const sessionId = shortId(12);
  const at = new Date(time).toISOString();
  const session = {
    id: sessionId,
    working_dir: cwd,
    name: `singletree-${sessionId}`,
    created_at: at,
    updated_at: at,
    extension_data: { 'enabled_extensions.v0': { extensions: writtenExtensions } },
    message_count: conversation.length,
    conversation,
  };
  const continueFrom = (path: string) => `goose session import ${path}`;
  return { sessionId, continueFrom, files: [{ name: `${sessionId}.json`, text: JSON.stringify(session) }] };
}

/** Uses the Agent Client Protocol, because the command of the program always asks for confirmation in a terminal. */
function removeOverAcp(sessionId: string): SessionRemoval {
  const requests = [
    { method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } },
    { method: 'session/delete', params: { sessionId } },
  ];
  const lines = requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request }));
  return {
    args: ['acp'],
    conversation: { input: toJsonLines(lines), isDone: /"id":1,"result"/, hasFailed: /"error":/ },
    isUnknown: /not found/,
  };
}
