import { parseJson } from '../../../../base/parse-json.ts';
import { newId } from '../../../../events/ids.ts';
import { dirname, join } from 'node:path';
import { defined } from '../../../../base/defined.ts';
import { toolParseError, type ToolOutput } from '../../../../events/tools.ts';
import { PlainTurn } from '../../sessions/plain-turn.ts';
import { readContentParts, toContent } from '../../sessions/prompt-parts.ts';
import { describeFiles, fileLines, filesAt, filesBelow } from '../../sessions/session-files.ts';
import type { IncludedFile, SessionFormat, SessionPlace, SessionReader } from '../../sessions/session-format.ts';
import { type SessionIds, SessionTurns } from '../../sessions/session-turns.ts';
import {
  recordTimes,
  type SessionToWrite,
  toJsonLines,
  writeBlocks,
  type WrittenSession,
} from '../../sessions/written-session.ts';
import { errorText } from '../../shared/readable-error.ts';
import { SessionUsage } from '../../shared/session-usage.ts';
import { joinedText, toList, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { readUsage } from './wire.ts';

/** The number of bytes to read of a file to list it: the first prompt follows the instructions of the program. */
const headBytes = 64 * 1024;
/** Lines that are no part of the conversation. */
const sideKinds: ReadonlySet<unknown> = new Set(['token_usage_record', 'turn_context', 'world_state', 'session_meta']);
/** Matches text that the program stores as a user message, in versions that do not mark it. */
const injected =
  /^\s*(# AGENTS\.md instructions|<(environment_context|user_instructions|INSTRUCTIONS|permissions instructions|subagent_notification|turn_aborted|user_shell_command|skill)\b)/;
const isFileId = (id: string | undefined): id is string => id !== undefined && /^[\w-]{8,64}$/.test(id);

/** The sessions of Codex: `sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`, one file per subagent. */
export const codexSession: SessionFormat = {
  find({ home, environment, path }) {
    return describeFiles(
      filesAt(path ?? sessionsFolder({ home, environment }), file => file.endsWith('.jsonl')),
      ({ text, find }) => {
        // The first line has the instructions, and may be longer than what is read here.
        const [first = ''] = text.split('\n', 1);
        if (!/"type":\s*"session_meta"/.test(first.slice(0, 4096))) return undefined;
        const field = (name: string) => new RegExp(`"${name}":\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(first)?.[1];
        const read = (name: string) => toText(JSON.parse(field(name) ?? 'null'));
        const id = read('id');
        if (id === undefined || read('parent_thread_id') !== undefined) return undefined;
        const prompt = find(record => readPrompt(toRecord(record['payload'])));
        const title = typeof prompt === 'string' ? prompt : joinedText(prompt);
        return { id, ...defined({ cwd: read('cwd'), createdAt: read('timestamp'), title }) };
      },
      headBytes,
    );
  },
  async *lines({ path }, file) {
    if (file === undefined) yield* fileLines(path);
    else {
      const { value: found } = await rolloutFiles(path, file).next();
      if (typeof found === 'string') yield* fileLines(found);
    }
  },
  reader: ids => new CodexSessionReader(ids),
  write: writeCodexSession,
  // Print mode takes only ids.
  handOver: (channel, place) =>
    channel === 'print' ? { by: 'store', findFolder: () => sessionsFolder(place) } : { by: 'path' },
  remove: id => ({ args: ['delete', '--force', id], isUnknown: /not found|no rollout/i }),
  isUnknown: /no rollout found for thread id/,
};

function sessionsFolder({ home, environment }: SessionPlace): string {
  return join(environment['CODEX_HOME'] ?? join(home, '.codex'), 'sessions');
}

/** Yields the file of another session, in the folder of this one or of another day. */
async function* rolloutFiles(path: string, id: string): AsyncGenerator<string> {
  const folder = dirname(path);
  const isWanted = (file: string) => file.endsWith(`${id}.jsonl`);
  yield* filesBelow(folder, isWanted, 0);
  if (/[\\/]\d{4}[\\/]\d\d[\\/]\d\d$/.test(folder)) yield* filesBelow(join(folder, '..', '..', '..'), isWanted);
}

/** Reads the lines of a rollout: its items are the input and output of the model. */
class CodexSessionReader implements SessionReader {
  readonly turns: SessionTurns<PlainTurn>;
  readonly #usage = new Map<string | undefined, SessionUsage>();
  /** The exit codes of commands, which precede their results. */
  readonly #exits = new Map<string, number>();
  /** The calls that started subagents, and the runs of those whose files were read, by session. */
  readonly #spawned = new Map<string, string>();
  readonly #children = new Map<string, string>();
  /** Whether turns have their ends reported: older versions do not. */
  #reportsEnds = false;
  /** Where the sessions end that this one was forked from. */
  readonly #forks = new Map<string, number>();

  constructor(ids: SessionIds) {
    this.turns = new SessionTurns(ids, context => new PlainTurn(context));
  }

  before({ type, payload }: WireRecord): readonly IncludedFile[] {
    const body = toRecord(payload);
    const base = type === 'session_meta' ? toRecord(body?.['history_base']) : undefined;
    const id = toText(base?.['thread_id']);
    if (isFileId(id) && !this.#forks.has(id)) {
      this.#forks.set(id, toNumber(base?.['end_ordinal_exclusive']) ?? Number.POSITIVE_INFINITY);
      return [{ name: id }];
    }
    const isEnd = type === 'event_msg' && (body?.['type'] === 'task_complete' || body?.['type'] === 'turn_aborted');
    const { runId } = this.turns;
    if (!isEnd || runId === undefined) return [];
    const names = [...this.#spawned.keys()].filter(name => !this.#children.has(name));
    return names.map(name => ({ name, runId: `${runId}/${name}/run` }));
  }

  take(record: WireRecord, file?: string): boolean {
    const { turns } = this;
    const { type } = record;
    const payload = toRecord(record['payload']) ?? {};
    const end = file === undefined ? undefined : this.#forks.get(file);
    if (end !== undefined && (toNumber(record['ordinal']) ?? 0) >= end) return true;
    turns.at(record['timestamp']);
    const child = file === undefined ? undefined : this.#child(file);
    if (type === 'session_meta' || type === 'turn_context') {
      turns.cwd = toText(payload['cwd']) ?? turns.cwd;
      turns.model = toText(payload['model']) ?? turns.model;
    } else if (type === 'response_item') return this.#item(payload, child);
    else if (type === 'event_msg') return this.#event(payload, child);
    else if (type === 'compacted' && child === undefined) {
      const text = toText(payload['message']);
      if (text !== undefined) turns.summarise(text, {});
      return true;
    }
    return sideKinds.has(type);
  }

  endFile(file: string): void {
    if (this.#children.has(file)) this.turns.read(turn => turn.children.end(file, 'complete'));
  }

  pause(): void {
    this.turns.pause();
  }

  /** Returns the run of the subagent of a file and starts it if necessary; undefined for the source of a fork. */
  #child(file: string): string | undefined {
    const parentId = this.#spawned.get(file);
    if (parentId !== undefined && !this.#children.has(file))
      this.turns.read(turn => this.#children.set(file, turn.children.start(file, { id: file, parentId }).runId));
    return this.#children.get(file);
  }

  #item(item: WireRecord, child: string | undefined): boolean {
    const { turns } = this;
    const { type, role } = item;
    if (type === 'message' && role !== 'assistant') {
      const said = role === 'user' && child === undefined ? readPrompt(item) : undefined;
      if (said !== undefined) turns.prompt(said, {});
      return true;
    }
    if (type === 'message') turns.read(turn => turn.say('text', joinedText(item['content']) ?? '', child));
    else if (type === 'reasoning') turns.read(turn => turn.say('reasoning', readReasoning(item), child));
    else if (type === 'function_call' || type === 'custom_tool_call' || type === 'local_shell_call')
      turns.read(turn => {
        const id = toText(item['call_id']) ?? toText(item['id']) ?? '';
        turn.call(id, toText(item['name']) ?? type, readInput(item), child);
      });
    else if (type === 'function_call_output' || type === 'custom_tool_call_output')
      turns.read(turn => this.#output(turn, toText(item['call_id']) ?? '', item['output']));
    else if (type === 'web_search_call')
      turns.read(turn => {
        const id = toText(item['id']) ?? 'web_search';
        turn.call(id, 'web_search', item['action'] ?? {}, child);
        turn.result(id, { context: '' });
      });
    else return type === 'compaction' || type === 'ghost_snapshot';
    if (child === undefined) turns.done(type === 'message' && !this.#reportsEnds);
    return true;
  }

  #output(turn: PlainTurn, callId: string, output: unknown): void {
    const call = turn.openCall(callId);
    const { context, exitCode = this.#exits.get(callId) } = readOutput(output);
    this.#exits.delete(callId);
    const result: ToolOutput = { context, ...(exitCode !== undefined && { result: { exitCode } }) };
    const agentId = call?.name === 'spawn_agent' && typeof context === 'string' ? spawnedAgent(context) : undefined;
    if (call !== undefined && isFileId(agentId)) this.#spawned.set(agentId, call.id);
    if (!turn.result(callId, result)) turn.context.unknown({ call_id: callId, output });
  }

  #event(event: WireRecord, child: string | undefined): boolean {
    const { turns } = this;
    const { type } = event;
    if (type === 'token_count') {
      const info = toRecord(event['info']);
      const total = readUsage(info?.['total_token_usage']);
      const counter = this.#usage.get(child);
      if (total === undefined || total.inputTokens + total.outputTokens === 0) return true;
      // The first total of a fork includes the usage before the fork.
      const used = counter === undefined ? (readUsage(info?.['last_token_usage']) ?? total) : counter.since(total);
      if (counter === undefined) this.#usage.set(child, new SessionUsage(total));
      const model = defined({ model: turns.model });
      if (used !== undefined && turns.runId !== undefined) turns.read(turn => turn.usage({ ...used, ...model }, child));
    } else if (type === 'item_completed' || type === 'exec_command_end') {
      const item = toRecord(event['item']) ?? event;
      const [id, exitCode] = [toText(item['id']) ?? toText(item['call_id']), toNumber(item['exit_code'])];
      if (id !== undefined && exitCode !== undefined) this.#exits.set(id, exitCode);
    } else if (child !== undefined) return true;
    else if (type === 'task_started') this.#reportsEnds = true;
    else if (type === 'task_complete') turns.done();
    else if (type === 'turn_aborted') turns.close('aborted');
    else if (type === 'error' && turns.runId !== undefined)
      turns.read((_, context) => context.fail({ message: errorText(event['message']) }));
    return true;
  }
}

/** Returns the text of a user message; undefined for one that the program wrote. */
function readPrompt(item: WireRecord | undefined): ReturnType<typeof toContent> {
  if (item?.['type'] !== 'message' || item['role'] !== 'user') return undefined;
  const kinds = toList(toRecord(item['internal_chat_message_metadata_passthrough'])?.['content_item_kinds']);
  const isMarked = kinds.length > 0;
  if (isMarked && !kinds.some(kind => String(kind).startsWith('user.'))) return undefined;
  const parts = toList(item['content']).map(value => {
    const part = toRecord(value);
    return part?.['type'] === 'input_image' ? { type: 'image', source: readImage(part['image_url']) } : value;
  });
  const said = toContent(readContentParts(parts));
  const text = typeof said === 'string' ? said : (joinedText(said) ?? '');
  return !isMarked && injected.test(text) ? undefined : said;
}

function readImage(url: unknown): WireRecord {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(String(url)) ?? [];
  return data === undefined ? { url, media_type: 'image/*' } : { data, media_type: mediaType };
}

function readReasoning(item: WireRecord): string {
  const parts = [...toList(item['summary']), ...toList(item['content'])];
  return parts.flatMap(part => toText(toRecord(part)?.['text']) ?? []).join('\n\n');
}

function readInput(item: WireRecord): unknown {
  const text = toText(item['arguments']);
  if (text === undefined) return item['input'] ?? item['action'] ?? {};
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return toolParseError(String(error), text);
  }
}

/** Returns the part of a result that the model received, and the exit code if the text states it. */
function readOutput(output: unknown): { context: unknown; exitCode?: number | undefined } {
  const whole = joinedText(output) ?? joinedText(toRecord(output)?.['content']) ?? output ?? '';
  if (typeof whole !== 'string') return { context: whole };
  const stated = /^(?:Exit code:|Process exited with code) (\d+)/m.exec(whole.slice(0, 400))?.[1];
  return { context: whole, exitCode: stated === undefined ? undefined : Number(stated) };
}

function spawnedAgent(text: string): string | undefined {
  return toText(toRecord(parseJson(text))?.['agent_id']);
}

/** Omits the model provider, because the program rejects one that is not in use. */
function writeCodexSession({ messages, cwd, time }: SessionToWrite): WrittenSession {
  const sessionId = newId();
  const next = recordTimes(time);
  const records: unknown[] = [];
  const add = (type: string, payload: WireRecord) => records.push({ timestamp: next().toISOString(), type, payload });
  const timestamp = new Date(time).toISOString();
  add('session_meta', { id: sessionId, timestamp, cwd, originator: 'singletree', cli_version: '0.0.0' });
  for (const { role, parts } of messages) {
    if (role === 'user') {
      const said = parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
      add('event_msg', { type: 'user_message', message: said });
      const image = ({ data, mediaType }: { data: string; mediaType: string }) => ({
        type: 'input_image',
        image_url: `data:${mediaType};base64,${data}`,
      });
      const content = writeBlocks(parts, image, text => ({ type: 'input_text', text }));
      add('response_item', { type: 'message', role, content });
      continue;
    }
    for (const part of parts) {
      if (part.type === 'text') {
        add('response_item', { type: 'message', role, content: [{ type: 'output_text', text: part.text }] });
        continue;
      }
      const { id: call_id, name, input } = part;
      add('response_item', { type: 'function_call', name, arguments: JSON.stringify(input ?? {}), call_id });
    }
    for (const part of parts)
      if (part.type === 'call')
        add('response_item', { type: 'function_call_output', call_id: part.id, output: part.output });
  }
  const name = `rollout-${timestamp.slice(0, 19).replaceAll(':', '-')}-${sessionId}.jsonl`;
  const continueFrom = (path: string) => `cp ${path} ~/.codex/sessions/ && codex resume ${sessionId}`;
  return { sessionId, continueFrom, files: [{ name, text: toJsonLines(records) }] };
}
