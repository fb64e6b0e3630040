import { join } from 'node:path';
import { parseJson } from '../../../../base/parse-json.ts';
import { defined } from '../../../../base/defined.ts';
import { hasSameKey, isDatabase, queryDatabase, removeCopy, rowLine } from '../../sessions/database-copy.ts';
import { readContentParts, toContent } from '../../sessions/prompt-parts.ts';
import type { IncludedFile, SessionFormat, SessionReader } from '../../sessions/session-format.ts';
import { type SessionIds, SessionTurns } from '../../sessions/session-turns.ts';
import {
  recordTimes,
  type SessionToWrite,
  shortId,
  writeBlocks,
  writtenCalls,
  type WrittenPart,
  type WrittenSession,
} from '../../sessions/written-session.ts';
import { ChildRuns } from '../../shared/child-runs.ts';
import type { LineContext } from '../../shared/line-context.ts';
import type { RecordReader } from '../../shared/line-translator.ts';
import { toList, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { findDataFolder, findOwnModel } from './own-model.ts';
import { PartReader } from './part-reader.ts';
import { readError, readSubagent } from './wire.ts';

/** The sessions of OpenCode, or of Kilo Code, in the SQLite database of `program` in the folder of a user's data. */
export function opencodeSession(program: string): SessionFormat {
  return {
    async *find({ home, environment, path }) {
      const file = path ?? join(findDataFolder(program, { home, environment }), `${program}.db`);
      if (!isDatabase(file)) return;
      try {
        const sessions = queryDatabase(
          file,
          `SELECT s.id, s.title, s.directory, s.time_created, s.time_updated,
             (SELECT count(*) FROM message m WHERE m.session_id = s.id) AS messages,
             (SELECT coalesce(sum(length(p.data)), 0) FROM part p WHERE p.session_id = s.id) AS bytes
           FROM session s WHERE s.parent_id IS NULL`,
        );
        for (const row of sessions) {
          const { id, title, directory, time_created: created, time_updated: updated, messages, bytes } = row;
          yield {
            id: String(id),
            path: file,
            bytes: Number(bytes),
            updatedAt: readTime(updated) ?? new Date(0).toISOString(),
            version: `${String(updated)} ${String(messages)} ${String(bytes)}`,
            ...defined({ cwd: toText(directory), title: toText(title), createdAt: readTime(created) }),
          };
        }
      } finally {
        removeCopy();
      }
    },
    async *lines({ id, path }, file = id) {
      const rows = (table: string, column: string, value: string, order: string) =>
        queryDatabase(path, `SELECT * FROM ${table} WHERE ${column} = ? ORDER BY ${order}`, value);
      for (const row of rows('session', 'id', file, 'id')) yield rowLine(row['id'], { session: row });
      const messages = queryDatabase(
        path,
        'SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id',
        file,
      );
      for (const [index, { id: messageId }] of messages.entries()) {
        const [message] = rows('message', 'id', String(messageId), 'id');
        const parts = rows('part', 'message_id', String(messageId), 'id');
        // The last answer may still be written.
        const data = message && parseData(message);
        const isOpen = data?.['role'] === 'assistant' && toRecord(data['time'])?.['completed'] === undefined;
        if (message === undefined || (isOpen && index === messages.length - 1)) return;
        yield rowLine(messageId, { message, parts });
      }
    },
    isSameLine: hasSameKey,
    reader: ids => new OpencodeSessionReader(ids),
    write: session => writeOpencodeSession(program, session),
    handOver(_channel, place) {
      const model = place.model ?? findOwnModel(program, place);
      // It would continue with the model of the last message, which has to be one that it knows.
      return model === undefined ? undefined : { by: 'import', args: path => ['import', path], model };
    },
    remove: id => ({ args: ['session', 'delete', id], isUnknown: /Session not found/ }),
    isUnknown: /Session not found/,
  };
}

/** One turn: the parts of its messages, and those of subagents, are the parts of the live output. */
class OpencodeTurn implements RecordReader {
  readonly children: ChildRuns;
  readonly #context: LineContext;
  readonly #readers = new Map<string, PartReader>();

  constructor(context: LineContext) {
    this.#context = context;
    this.children = new ChildRuns(context);
  }

  take(): void {}

  flush(): void {
    this.children.flush();
  }

  /** Takes the parts of a message of a session; that of the main agent when it is not the id of a running subagent. */
  parts(parts: readonly WireRecord[], session = ''): void {
    const child = this.children.get(session);
    const runId = child?.runId ?? this.#context.runId;
    const reader =
      this.#readers.get(runId) ??
      new PartReader({
        context: this.#context,
        children: this.children,
        runId,
        self: () => this.children.get(session),
      });
    this.#readers.set(runId, reader);
    for (const part of parts) if (!reader.isComplete(part)) takePart(reader, part);
  }
}

function takePart(reader: PartReader, part: WireRecord): void {
  const { type } = part;
  if (type === 'step-start') reader.stepStart(part);
  else if (type === 'step-finish') reader.stepFinish(part);
  else if (type === 'text' || type === 'reasoning') reader.speech(type, part);
  else if (type === 'tool') reader.tool(part);
}

class OpencodeSessionReader implements SessionReader {
  readonly turns: SessionTurns<OpencodeTurn>;
  readonly #included = new Set<string>();

  constructor(ids: SessionIds) {
    this.turns = new SessionTurns(ids, context => new OpencodeTurn(context));
  }

  before(record: WireRecord): readonly IncludedFile[] {
    const message = readMessage(record);
    if (message === undefined || message.data['role'] !== 'assistant') return [];
    const started = message.parts.flatMap(part => readSubagent(toRecord(part['state']) ?? {})?.sessionId ?? []);
    const names = started.filter(name => !this.#included.has(name));
    if (names.length === 0) return [];
    for (const name of names) this.#included.add(name);
    this.#begin(message.data);
    // Emit the calls first, then the events of the subagents, then the results.
    const parts = message.parts.map(part => {
      const state = toRecord(part['state']);
      return state === undefined || readSubagent(state) === undefined
        ? part
        : { ...part, state: { ...state, status: 'running' } };
    });
    this.turns.read(turn => turn.parts(parts));
    return names.map(name => ({ name, runId: `${this.turns.runId}/${name}/run` }));
  }

  take(record: WireRecord, file?: string): boolean {
    const { turns } = this;
    const session = toRecord(record['session']);
    if (session !== undefined) {
      if (file === undefined) turns.cwd = toText(session['directory']);
      return true;
    }
    const message = readMessage(record);
    if (message === undefined) return false;
    const { data, parts, id } = message;
    turns.at(toNumber(toRecord(data['time'])?.['created']) ?? toRecord(record['message'])?.['time_created']);
    if (file !== undefined) {
      if (data['role'] === 'assistant') turns.read(turn => turn.parts(parts, file));
    } else if (data['role'] === 'user') {
      const said = toContent(readContentParts(parts.flatMap(toBlock)));
      if (said !== undefined) turns.prompt(said, { key: id });
    } else if (data['summary'] === true) {
      const texts = parts.flatMap(part => (part['type'] === 'text' ? (toText(part['text']) ?? []) : []));
      turns.summarise(texts.join('\n'), {});
    } else {
      this.#begin(data);
      turns.read(
        (turn, context) => {
          turn.parts(parts);
          const failure = readError(data['error']);
          if (failure !== undefined) context.fail(failure);
        },
        { key: id },
      );
      turns.done(data['finish'] !== 'tool-calls');
    }
    return true;
  }

  pause(): void {
    this.turns.pause();
  }

  #begin(data: WireRecord): void {
    this.turns.at(toNumber(toRecord(data['time'])?.['created']));
    this.turns.model = toText(data['modelID']) ?? this.turns.model;
  }
}

/** Returns a message with its parts as the program reports them. */
function readMessage(record: WireRecord): { id: string; data: WireRecord; parts: WireRecord[] } | undefined {
  const row = toRecord(record['message']);
  const data = row && parseData(row);
  const id = toText(row?.['id']);
  if (data === undefined || id === undefined) return undefined;
  const parts = toList(record['parts']).flatMap(value => {
    const part = toRecord(value);
    const parsed = part && parseData(part);
    return parsed === undefined ? [] : [{ ...parsed, id: part?.['id'], messageID: id }];
  });
  return { id, data, parts };
}

function parseData(row: WireRecord): WireRecord | undefined {
  return toRecord(parseJson(String(row['data'])));
}

/** Returns a part of a user message as a block; an empty array for a part that the program added. */
function toBlock(part: WireRecord): unknown[] {
  const text = toText(part['text']);
  if (part['synthetic'] === true || part['ignored'] === true || text?.startsWith('<environment_details>') === true)
    return [];
  // `run` puts a prompt with spaces into quotation marks.
  if (text !== undefined) return [{ text: text.replace(/^"(.*\s.*)"\s*$/s, '$1') }];
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(toText(part['url']) ?? '') ?? [];
  return data === undefined ? [] : [{ source: { data, media_type: mediaType } }];
}

function readTime(value: unknown): string | undefined {
  const ms = Number(value);
  return Math.abs(ms) < 8.64e15 && ms > 0 ? new Date(ms).toISOString() : undefined;
}

/** The document that `import` reads. The ids of messages and parts are new: one that exists anywhere is skipped. */
function writeOpencodeSession(program: string, { messages, cwd, time, model: name }: SessionToWrite): WrittenSession {
  const sessionID = `ses_${shortId(26)}`;
  const next = recordTimes(time);
  const key = shortId(20);
  let count = 0;
  const newKey = (prefix: string) => `${prefix}_${String(++count).padStart(6, '0')}${key}`;
  const [, providerID = 'singletree', modelID = 'none'] = /^([^/]+)\/(.+)$/s.exec(name ?? '') ?? [];
  const model = { providerID, modelID };
  let parentID = '';
  const written = messages.map(message => {
    const id = newKey('msg');
    const created = next().getTime();
    const place = () => ({ id: newKey('prt'), sessionID, messageID: id });
    if (message.role === 'user') {
      parentID = id;
      const info = { id, sessionID, role: 'user', time: { created }, agent: 'build', model };
      const image = ({ data, mediaType }: { data: string; mediaType: string }) => ({
        type: 'file',
        mime: mediaType,
        url: `data:${mediaType};base64,${data}`,
      });
      return { info, parts: writeBlocks(message.parts, image).map(part => ({ ...place(), ...toRecord(part) })) };
    }
    const tokens = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    const info = {
      id,
      sessionID,
      role: 'assistant',
      parentID,
      mode: 'build',
      agent: 'build',
      path: { cwd, root: cwd },
      cost: 0,
      tokens,
      ...model,
      time: { created, completed: created },
      finish: writtenCalls(message).length > 0 ? 'tool-calls' : 'stop',
    };
    return { info, parts: message.parts.map(part => ({ ...place(), ...writePart(part, created) })) };
  });
  const info = {
    id: sessionID,
    slug: 'singletree',
    title: 'Continued',
    version: '0',
    time: { created: time, updated: next().getTime() },
  };
  const text = JSON.stringify({ info, messages: written });
  // A session continues with the model of its last message, unless another one is named.
  const named = name === undefined ? ' --model PROVIDER/MODEL' : '';
  const continueFrom = (path: string) => `${program} import ${path} && ${program} --session ${sessionID}${named}`;
  return { sessionId: sessionID, continueFrom, files: [{ name: `${sessionID}.json`, text }] };
}

function writePart(part: WrittenPart, at: number): object {
  if (part.type === 'text') return part;
  const { id: callID, name: tool, input, output, isError } = part;
  const time = { start: at, end: at };
  const state = isError
    ? { status: 'error', input, error: output, time }
    : { status: 'completed', input, output, title: '', metadata: {}, time };
  return { type: 'tool', tool, callID, state };
}
