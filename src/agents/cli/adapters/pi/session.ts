import { join } from 'node:path';
import { defined } from '../../../../base/defined.ts';
import { readContentParts, toContent } from '../../sessions/prompt-parts.ts';
import { describeFiles, fileLines, filesAt } from '../../sessions/session-files.ts';
import type { SessionFormat, SessionReader } from '../../sessions/session-format.ts';
import { type SessionIds, SessionTurns } from '../../sessions/session-turns.ts';
import { joinedText, toList, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import {
  recordTimes,
  type SessionToWrite,
  shortId,
  toJsonLines,
  writeBlocks,
  writtenCalls,
  type WrittenSession,
} from '../../sessions/written-session.ts';
import { newId } from '../../../../events/ids.ts';
import { PiReader } from './reader.ts';

/** Entries that are kept as they are and add nothing to the conversation. */
const sideKinds: ReadonlySet<unknown> = new Set([
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'model_change',
  'session',
  'session_info',
  'thinking_level_change',
]);

/** The sessions of Pi: `sessions/<folder>/<time>_<session>.jsonl`, a header and a tree of entries. */
export const piSession: SessionFormat = {
  find({ home, environment, path }) {
    const folder = join(environment['PI_CODING_AGENT_DIR'] ?? join(home, '.pi', 'agent'), 'sessions');
    return describeFiles(
      filesAt(path ?? folder, file => file.endsWith('.jsonl')),
      ({ find }) => {
        const header = find(record => (record['type'] === 'session' ? record : undefined));
        const id = toText(header?.['id']);
        if (header === undefined || id === undefined) return undefined;
        const prompt = find(record => {
          const message = toRecord(record['message']);
          return message?.['role'] === 'user' ? message : undefined;
        });
        const details = { cwd: toText(header['cwd']), createdAt: toText(header['timestamp']) };
        return { id, ...defined({ ...details, title: joinedText(prompt?.['content']) }) };
      },
    );
  },
  lines: ({ path }) => fileLines(path),
  reader: ids => new PiSessionReader(ids),
  write: writePiSession,
  handOver: () => ({ by: 'path' }),
  isUnknown: /^No session found matching/,
};

/** Reads the entries of a session: messages are those of the live records. */
class PiSessionReader implements SessionReader {
  readonly turns: SessionTurns<PiReader>;

  constructor(ids: SessionIds) {
    this.turns = new SessionTurns(ids, context => new PiReader(context));
  }

  take(entry: WireRecord): boolean {
    const { turns } = this;
    const { type } = entry;
    turns.at(entry['timestamp']);
    const place = {
      key: toText(entry['id']),
      after: 'parentId' in entry ? (toText(entry['parentId']) ?? null) : undefined,
    };
    if (type === 'message') return this.#message(toRecord(entry['message']) ?? {}, place);
    if (type === 'session') turns.cwd = toText(entry['cwd']) ?? turns.cwd;
    if (type === 'model_change') turns.model = toText(entry['modelId']) ?? turns.model;
    if (type === 'compaction')
      turns.summarise(toText(entry['summary']) ?? '', {
        upTo: place.after,
        before: toText(entry['firstKeptEntryId']),
        tokens: toNumber(entry['tokensBefore']),
      });
    turns.link(place.key, place.after);
    return type === 'compaction' || sideKinds.has(type);
  }

  pause(): void {
    this.turns.pause();
  }

  #message(message: WireRecord, place: { key: string | undefined; after: string | null | undefined }): boolean {
    const { turns } = this;
    const { role, content, toolCallId, toolName, isError, details, stopReason } = message;
    const said = role === 'user' ? toContent(readContentParts(content)) : undefined;
    if (said !== undefined) turns.prompt(said, place);
    else if (role === 'assistant') {
      turns.model = toText(message['model']) ?? turns.model;
      turns.read(reader => {
        reader.take({ type: 'turn_start' });
        reader.take({ type: 'message_end', message });
      }, place);
      turns.done(stopReason !== 'aborted' && !toList(content).some(part => toRecord(part)?.['type'] === 'toolCall'));
    } else if (role === 'toolResult') {
      const result = { content, ...defined({ details }) };
      turns.read(reader => reader.take({ type: 'tool_execution_end', toolCallId, toolName, isError, result }), place);
    } else turns.link(place.key, place.after);
    return (
      role === 'user' || role === 'assistant' || role === 'toolResult' || role === 'system' || role === 'bashExecution'
    );
  }
}

const noUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Writes a version 3 header, or the program would rewrite the file, and `usage`, without which the program fails. */
function writePiSession({ messages, cwd, time }: SessionToWrite): WrittenSession {
  const sessionId = newId();
  const next = recordTimes(time);
  const records: unknown[] = [{ type: 'session', version: 3, id: sessionId, timestamp: next().toISOString(), cwd }];
  let parentId: string | null = null;
  const add = (message: WireRecord) => {
    const [id, at] = [shortId(8), next()];
    const timestamp = at.toISOString();
    records.push({ type: 'message', id, parentId, timestamp, message: { ...message, timestamp: at.getTime() } });
    parentId = id;
  };
  for (const message of messages) {
    if (message.role === 'user') {
      const image = ({ data, mediaType }: { data: string; mediaType: string }) => ({
        type: 'image',
        data,
        mimeType: mediaType,
      });
      add({ role: 'user', content: writeBlocks(message.parts, image) });
      continue;
    }
    const calls = writtenCalls(message);
    const content = message.parts.map(part =>
      part.type === 'text' ? part : { type: 'toolCall', id: part.id, name: part.name, arguments: part.input },
    );
    add({ role: 'assistant', content, usage: noUsage, stopReason: calls.length > 0 ? 'toolUse' : 'stop' });
    for (const { id, name, output, isError } of calls)
      add({ role: 'toolResult', toolCallId: id, toolName: name, content: [{ type: 'text', text: output }], isError });
  }
  const continueFrom = (path: string) => `pi --session ${path}`;
  return { sessionId, continueFrom, files: [{ name: `${sessionId}.jsonl`, text: toJsonLines(records) }] };
}
