import { newId } from '../../../../events/ids.ts';
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { defined } from '../../../../base/defined.ts';
import type { EventOf } from '../../../../events/vocabulary.ts';
import type { ToolOutput } from '../../../../events/tools.ts';
import { PlainTurn } from '../../sessions/plain-turn.ts';
import { readContentParts, toContent } from '../../sessions/prompt-parts.ts';
import { describeFiles, fileLines, filesAt } from '../../sessions/session-files.ts';
import type { IncludedFile, SessionFormat, SessionReader } from '../../sessions/session-format.ts';
import { type SessionIds, SessionTurns } from '../../sessions/session-turns.ts';
import {
  recordTimes,
  type SessionToWrite,
  toJsonLines,
  writeBlocks,
  type WrittenCall,
  type WrittenSession,
} from '../../sessions/written-session.ts';
import { findProjectFolder, findSessionFiles, readProjectOwner } from './session-files.ts';
import { toCount, joinedText, toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';

type Usage = Omit<EventOf<'usage'>, 'type' | 'runId'>;

const isContext = (text: string) => /^\s*<session_context>/.test(text);

/** The sessions of Gemini: `tmp/<project>/chats/session-<time>-<id>.jsonl`, change logs; subagents are in a folder. */
export const geminiSession: SessionFormat = {
  find({ home, environment, path }) {
    const folder = join(environment['GEMINI_CLI_HOME'] ?? home, '.gemini', 'tmp');
    const isSession = (file: string) => /^session-.*\.jsonl$/.test(basename(file));
    return describeFiles(filesAt(path ?? folder, isSession), ({ path: file, find }) => {
      const header = find(record => (toText(record['sessionId']) === undefined ? undefined : record));
      const id = toText(header?.['sessionId']);
      const title = find(record => {
        const text = record['type'] === 'user' ? joinedText(record['content']) : undefined;
        return text !== undefined && text !== '' && !isContext(text) ? text : undefined;
      });
      // A program that resumes a session also creates a file without messages.
      const isEmpty = title === undefined && find(record => record['type'] === 'gemini' || undefined) === undefined;
      if (header === undefined || id === undefined || isEmpty) return undefined;
      return {
        id,
        ...defined({ title, cwd: readProjectOwner(dirname(dirname(file))), createdAt: toText(header['startTime']) }),
      };
    });
  },
  lines: ({ path, id }, file) => fileLines(file === undefined ? path : join(dirname(path), id, `${file}.jsonl`)),
  reader: ids => new GeminiSessionReader(ids),
  write: writeGeminiSession,
  handOver(_channel, { cwd, environment }) {
    // `--session-file` does not reach ACP: it copies the file into the same folder, under an id that ACP is not given.
    const project = findProjectFolder(cwd, environment);
    const marker = { path: join(project, '.project_root'), text: cwd };
    return { by: 'store', findFolder: () => join(project, 'chats'), marker };
  },
  remove: (id, { environment }) => ({ paths: findSessionFiles(id, environment) }),
};

/** Reads the changes of a session: a message comes again with its calls and their results, and may be taken back. */
class GeminiSessionReader implements SessionReader {
  readonly turns: SessionTurns<PlainTurn>;
  /** The messages that were read, in order, and the calls that have their results. */
  #messages: string[] = [];
  readonly #seen = new Set<string>();
  readonly #called = new Set<string>();
  /** The runs of subagents, by file. */
  readonly #children = new Map<string, string>();
  /** The usage of the newest message: its calls may follow. */
  #usage: { readonly messageId: string; readonly usage: Usage; readonly runId: string | undefined } | undefined;

  constructor(ids: SessionIds) {
    this.turns = new SessionTurns(ids, context => new PlainTurn(context));
  }

  before(record: WireRecord): readonly IncludedFile[] {
    const started = toList(record['toolCalls']).flatMap(value => {
      const call = toRecord(value) ?? {};
      const name = toText(call['agentId']);
      return name === undefined || !/^[\w-]+$/.test(name) || this.#children.has(name) ? [] : [{ name, call }];
    });
    if (started.length === 0) return [];
    this.turns.at(record['timestamp']);
    this.#speech(record, undefined);
    return started.map(({ name, call }) => {
      this.turns.read(turn => {
        const id = this.#call(turn, call, undefined);
        const agentId = toText(toRecord(call['args'])?.['agent_name']);
        this.#children.set(
          name,
          turn.children.start(name, { id: name, parentId: id ?? turn.context.runId, agentId }).runId,
        );
      });
      return { name, runId: this.#children.get(name) ?? '' };
    });
  }

  take(record: WireRecord, file?: string): boolean {
    const child = file === undefined ? undefined : this.#children.get(file);
    const set = toRecord(record['$set']);
    const undone = toText(record['$rewindTo']);
    if (undone !== undefined) this.#rewind(undone);
    else if (set !== undefined)
      for (const message of toList(set['messages'])) this.#message(toRecord(message) ?? {}, child);
    else if (toText(record['id']) !== undefined) return this.#message(record, child);
    return set !== undefined || undone !== undefined || toText(record['sessionId']) !== undefined;
  }

  endFile(file: string): void {
    this.#countUsage();
    this.turns.read(turn => turn.children.end(file, 'complete'));
  }

  pause(): void {
    if (!this.turns.isDone) return;
    this.#countUsage();
    this.turns.pause();
  }

  #message(message: WireRecord, child: string | undefined): boolean {
    const { turns } = this;
    const id = toText(message['id']) ?? '';
    const { type } = message;
    if (id !== this.#usage?.messageId) this.#countUsage();
    turns.at(message['timestamp']);
    if (type === 'gemini') {
      this.#speech(message, child);
      const calls = [...toList(message['toolCalls']), ...functionCalls(message['content'])].map(
        call => toRecord(call) ?? {},
      );
      if (calls.length > 0)
        turns.read(
          turn => {
            for (const call of calls) this.#call(turn, call, child);
            for (const call of calls)
              for (const part of toList(call['result'])) this.#response(turn, part, call['status']);
          },
          { key: id },
        );
      if (child === undefined) turns.done(calls.length === 0);
    } else if (type === 'user') {
      const responses = toList(message['content']).filter(part => toRecord(part)?.['functionResponse'] !== undefined);
      if (responses.length > 0 && turns.runId !== undefined)
        turns.read(turn => {
          for (const part of responses) this.#response(turn, part, undefined);
        });
      const said =
        child === undefined && !this.#seen.has(id)
          ? toContent(readContentParts(readParts(message['content'])))
          : undefined;
      const isHidden = said === undefined || isContext(typeof said === 'string' ? said : (joinedText(said) ?? ''));
      if (responses.length === 0 && !isHidden) turns.prompt(said, { key: id });
    }
    if (!this.#seen.has(id) && child === undefined) this.#messages.push(id);
    this.#seen.add(id);
    return type === 'gemini' || type === 'user' || type === 'info' || type === 'error' || type === 'warning';
  }

  /** Adds the content of a message when it is read for the first time. */
  #speech(message: WireRecord, child: string | undefined): void {
    const id = toText(message['id']) ?? '';
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    if (child === undefined) this.#messages.push(id);
    this.turns.model = toText(message['model']) ?? this.turns.model;
    const parts = typeof message['content'] === 'string' ? [{ text: message['content'] }] : toList(message['content']);
    this.turns.read(
      turn => {
        turn.endStep(child);
        for (const thought of toList(message['thoughts'])) {
          const { subject, description } = toRecord(thought) ?? {};
          turn.say('reasoning', [subject, description].filter(Boolean).join('\n'), child);
        }
        for (const value of parts) {
          const part = toRecord(value);
          const text = toText(part?.['text']);
          if (text !== undefined) turn.say(part?.['thought'] === true ? 'reasoning' : 'text', text, child);
        }
      },
      { key: id },
    );
    const usage = readUsage(message);
    if (usage !== undefined) this.#usage = { messageId: id, usage, runId: child };
  }

  /** Adds a call unless it is known; returns the id of its event. */
  #call(turn: PlainTurn, call: WireRecord, child: string | undefined): string | undefined {
    const id = toText(call['id']);
    if (id === undefined || this.#called.has(id)) return undefined;
    this.#called.add(id);
    return turn.call(id, toText(call['name']) ?? 'tool', call['args'] ?? {}, child).id;
  }

  #response(turn: PlainTurn, value: unknown, status: unknown): void {
    const response = toRecord(toRecord(value)?.['functionResponse']);
    const id = toText(response?.['id']);
    if (id !== undefined && turn.openCall(id) !== undefined)
      turn.result(id, readOutput(toRecord(response?.['response']), status));
  }

  #rewind(id: string): void {
    this.#countUsage();
    const at = this.#messages.indexOf(id);
    if (at < 0) return;
    this.#messages = this.#messages.slice(0, at);
    this.turns.rewind(this.#messages.findLast(key => this.turns.has(key)));
  }

  #countUsage(): void {
    if (this.#usage === undefined) return;
    const { usage, runId } = this.#usage;
    this.#usage = undefined;
    this.turns.note({ type: 'usage', ...usage, ...defined({ runId }) });
  }
}

/** Returns the parts of a user message, with images as blocks of the Anthropic API. */
function readParts(content: unknown): unknown {
  if (typeof content === 'string') return content;
  return toList(content).map(part => {
    const picture = toRecord(toRecord(part)?.['inlineData']);
    return picture === undefined ? part : { source: { data: picture['data'], media_type: picture['mimeType'] } };
  });
}

function functionCalls(content: unknown): WireRecord[] {
  return toList(content).flatMap((part): WireRecord[] => {
    const call = toRecord(toRecord(part)?.['functionCall']);
    return call === undefined ? [] : [call];
  });
}

function readOutput(response: WireRecord | undefined, status: unknown): ToolOutput {
  const error = toText(response?.['error']);
  if (error !== undefined) return status === 'cancelled' ? { status: 'denied', reason: error } : { error };
  const context = response?.['output'] ?? response ?? '';
  const exitCode = typeof context === 'string' ? /^Exit Code: (\d+)$/m.exec(context)?.[1] : undefined;
  return { context, ...(exitCode !== undefined && { result: { exitCode: Number(exitCode) } }) };
}

function readUsage(message: WireRecord): Usage | undefined {
  const tokens = toRecord(message['tokens']);
  const inputTokens = toCount(tokens?.['input']);
  const output = toCount(tokens?.['output']);
  if (inputTokens === undefined || output === undefined) return undefined;
  const [cacheReadTokens, reasoningTokens] = [toCount(tokens?.['cached']), toCount(tokens?.['thoughts'])];
  const outputTokens = output + (reasoningTokens ?? 0);
  return {
    inputTokens,
    outputTokens,
    ...defined({ cacheReadTokens, reasoningTokens, model: toText(message['model']) }),
  };
}

/** Writes results only into their calls: as separate messages they would be sent twice. */
function writeGeminiSession({ messages, time }: SessionToWrite): WrittenSession {
  // The program identifies sessions by the prefix of their ids, which time-ordered ids share.
  const sessionId = randomUUID();
  const next = recordTimes(time);
  const startTime = next().toISOString();
  const records: unknown[] = [{ sessionId, projectHash: sessionId, startTime, lastUpdated: startTime, kind: 'main' }];
  const add = (message: WireRecord) => records.push({ id: newId(), timestamp: next().toISOString(), ...message });
  for (const { role, parts } of messages) {
    if (role === 'user') {
      const image = ({ data, mediaType }: { data: string; mediaType: string }) => ({
        inlineData: { mimeType: mediaType, data },
      });
      add({ type: 'user', content: writeBlocks(parts, image, text => ({ text })) });
      continue;
    }
    let said = '';
    let calls: WrittenCall[] = [];
    const flush = () => {
      if (said !== '' || calls.length > 0)
        add({ type: 'gemini', content: said, ...(calls.length > 0 && { toolCalls: calls.map(writeCall) }) });
      said = '';
      calls = [];
    };
    for (const part of parts) {
      if (part.type === 'call') calls.push(part);
      else {
        if (calls.length > 0) flush();
        said += part.text;
      }
    }
    flush();
  }
  const continueFrom = (path: string) => `gemini --session-file ${path}`;
  return {
    sessionId,
    continueFrom,
    files: [
      {
        name: `session-${startTime.slice(0, 16).replaceAll(':', '-')}-${sessionId.slice(0, 8)}.jsonl`,
        text: toJsonLines(records),
      },
    ],
  };
}

function writeCall({ id, name, input, output, isError }: WrittenCall): unknown {
  const response = isError ? { error: output } : { output };
  const result = [{ functionResponse: { id, name, response } }];
  return { id, name, args: input, status: isError ? 'error' : 'success', result };
}
