import { basename, join } from 'node:path';
import { defined } from '../../../../base/defined.ts';
import { readContentParts, toContent, writeImage } from '../../sessions/prompt-parts.ts';
import { describeFiles, fileLines, filesAt } from '../../sessions/session-files.ts';
import type { IncludedFile, SessionFormat, SessionReader } from '../../sessions/session-format.ts';
import { type SessionIds, SessionTurns } from '../../sessions/session-turns.ts';
import { joinedText, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
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
import { ClaudeReader } from './reader.ts';
import { readMessageUsage, type Usage } from './usage.ts';
import { readBlocks } from './wire.ts';

/** Records that are no part of the conversation. */
const sideKinds: ReadonlySet<unknown> = new Set([
  'agent-name',
  'ai-title',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'cost-state',
  'custom-title',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'summary',
  'tools-used',
]);
/** Matches text that the program stores as a user message, such as the output of its commands. */
const commandOutput = /^\s*<(local-command-|bash-std|system-reminder>|task-notification>)/;
/**
 * The model of written answers. Without `--model` the program continues with the model of the last answer, with its
 * default one when it does not know that model, and never begins when the answer names none.
 */
const writtenModel = 'another-model';
const interruption = /^\[Request interrupted by user/;

/** The sessions of Claude Code: `projects/<folder>/<session>.jsonl`, with subagents in a folder of the same name. */
export const claudeSession: SessionFormat = {
  find({ home, environment, path }) {
    const folder = join(environment['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), 'projects');
    const isSession = (file: string) => file.endsWith('.jsonl') && !/[\\/]subagents[\\/]/.test(file);
    return describeFiles(filesAt(path ?? folder, isSession), ({ name, find }) => {
      if (find(record => toText(record['sessionId']) ?? toText(record['uuid'])) === undefined) return undefined;
      const prompt = find(record => (record['type'] === 'user' && record['isMeta'] !== true ? record : undefined));
      return {
        id: basename(name, '.jsonl'),
        ...defined({
          cwd: find(record => toText(record['cwd'])),
          createdAt: find(record => toText(record['timestamp'])),
          title: joinedText(toRecord(prompt?.['message'])?.['content']),
        }),
      };
    });
  },
  lines: ({ path }, file) =>
    fileLines(file === undefined ? path : join(path.replace(/\.jsonl$/, ''), 'subagents', `${file}.jsonl`)),
  reader: ids => new ClaudeSessionReader(ids),
  write: writeClaudeSession,
  handOver: () => ({ by: 'path' }),
  isUnknown: /^No conversation found with session ID/,
};

/** Reads the records of a session: the live stream's records of the conversation, with some fields renamed. */
class ClaudeSessionReader implements SessionReader {
  readonly turns: SessionTurns<ClaudeReader>;
  /** The calls of the subagents whose files are included, by file. */
  readonly #callOf = new Map<string, string>();
  /** The tasks of subagents whose records are in the main file, by call, and the calls of those records. */
  readonly #tasks = new Map<string, unknown>();
  readonly #sidechains = new Map<string, string>();
  /** The usage of the newest message, which each of its records repeats. */
  #usage: (Usage & { readonly callId: string; readonly runId?: string }) | undefined;
  #counted: string | undefined;

  constructor(ids: SessionIds) {
    this.turns = new SessionTurns(ids, context => new ClaudeReader(context));
  }

  before(record: WireRecord): readonly IncludedFile[] {
    const agentId = toText(toRecord(record['toolUseResult'])?.['agentId']);
    const callId = resultIds(record)[0];
    const { runId } = this.turns;
    if (agentId === undefined || !/^[\w-]+$/.test(agentId) || callId === undefined || runId === undefined) return [];
    const name = `agent-${agentId}`;
    if (this.#callOf.has(name)) return [];
    this.#callOf.set(name, callId);
    return [{ name, runId: `${runId}/${agentId}/run` }];
  }

  take(record: WireRecord, file?: string): boolean {
    const { turns } = this;
    const message = toRecord(record['message']);
    if (message?.['id'] !== this.#usage?.callId) this.#countUsage();
    turns.at(record['timestamp']);
    turns.cwd = toText(record['cwd']) ?? turns.cwd;
    const { type } = record;
    const callId = file === undefined ? this.#sidechain(record) : this.#callOf.get(file);
    if (callId !== undefined) return this.#subagent(record, callId, file);
    const key = toText(record['uuid']);
    const after = 'parentUuid' in record ? (toText(record['parentUuid']) ?? null) : undefined;
    if (type === 'assistant') this.#assistant(record, { key, after });
    else if (type === 'user') this.#user(record, { key, after });
    else turns.link(key, toText(record['logicalParentUuid']) ?? after);
    return type === 'assistant' || type === 'user' || type === 'attachment' || type === 'system' || sideKinds.has(type);
  }

  endFile(file: string): void {
    const callId = this.#callOf.get(file);
    this.#countUsage();
    // The result of its call ends a subagent that its caller waits for; this one ends in the background.
    this.turns.read(reader => {
      if (reader.runningTasks.length > 0)
        reader.take({ type: 'system', subtype: 'task_notification', tool_use_id: callId, status: 'completed' });
    });
  }

  pause(): void {
    if (!this.turns.isDone) return;
    this.#countUsage();
    this.turns.pause();
  }

  #assistant(record: WireRecord, place: { key: string | undefined; after: string | null | undefined }): void {
    const { turns } = this;
    const message = toRecord(record['message']);
    const model = toText(message?.['model']);
    if (model !== undefined && model !== '<synthetic>' && model !== writtenModel) turns.model = model;
    turns.read(reader => reader.take(toLiveRecord(record)), place);
    const blocks = (readBlocks(message) ?? []).map(toRecord);
    turns.done(message?.['stop_reason'] !== 'tool_use' && blocks.some(block => block?.['type'] === 'text'));
    for (const block of blocks)
      if (block?.['type'] === 'tool_use') this.#tasks.set(String(block['id']), toRecord(block['input'])?.['prompt']);
    this.#keepUsage(message);
  }

  #user(record: WireRecord, place: { key: string | undefined; after: string | null | undefined }): void {
    const { turns } = this;
    const { key, after } = place;
    const content = toRecord(record['message'])?.['content'];
    const text = joinedText(content) ?? '';
    if (resultIds(record).length > 0) turns.read(reader => reader.take(toLiveRecord(record)), place);
    else if (record['isCompactSummary'] === true) {
      turns.summarise(text, { upTo: after });
      turns.link(key, after);
    } else if (interruption.test(text)) {
      turns.link(key, after);
      turns.close('aborted');
    } else {
      const isHidden = record['isMeta'] === true || commandOutput.test(text);
      const said = isHidden ? undefined : (readCommand(text) ?? toContent(readContentParts(content)));
      if (said === undefined) turns.link(key, after);
      else turns.prompt(said, place);
    }
  }

  #subagent(record: WireRecord, callId: string, file: string | undefined): boolean {
    const { type } = record;
    const agent = toText(record['agentId']);
    if (type === 'assistant' || type === 'user') {
      this.turns.read(reader => reader.take({ ...toLiveRecord(record), parent_tool_use_id: callId, agent_id: agent }));
      if (type === 'assistant' && file !== undefined)
        this.#keepUsage(toRecord(record['message']), `${this.turns.runId}/${agent}/run`);
    }
    return type === 'assistant' || type === 'user' || type === 'attachment' || type === 'system' || sideKinds.has(type);
  }

  /** Returns the call of a subagent whose records an older version wrote between those of the main agent. */
  #sidechain(record: WireRecord): string | undefined {
    if (record['isSidechain'] !== true) return undefined;
    const task = joinedText(toRecord(record['message'])?.['content']);
    const callId =
      this.#sidechains.get(String(record['parentUuid'])) ??
      [...this.#tasks].find(([, prompt]) => prompt !== undefined && prompt === task)?.[0];
    if (callId !== undefined) this.#sidechains.set(String(record['uuid']), callId);
    return callId;
  }

  #keepUsage(message: WireRecord | undefined, runId?: string): void {
    const callId = toText(message?.['id']);
    const usage = readMessageUsage(message?.['usage']);
    if (callId === undefined || usage === undefined || callId === this.#counted) return;
    this.#usage = { ...usage.usage, callId, ...defined({ runId, model: toText(message?.['model']) }) };
  }

  #countUsage(): void {
    const usage = this.#usage;
    if (usage === undefined) return;
    this.#counted = usage.callId;
    this.#usage = undefined;
    this.turns.note({ type: 'usage', ...usage });
  }
}

/** Returns the record as the program streams it. */
function toLiveRecord(record: WireRecord): WireRecord {
  const decision = record['permissionDecision'];
  return {
    ...record,
    ...defined({ tool_use_result: record['toolUseResult'], is_api_error_message: record['isApiErrorMessage'] }),
    ...(decision !== undefined && {
      tool_result_meta: resultIds(record).map(id => ({ id, permission_decision: decision })),
    }),
  };
}

/** Returns the calls whose results a record has. */
function resultIds(record: WireRecord): string[] {
  if (record['type'] !== 'user') return [];
  return (readBlocks(record['message']) ?? []).flatMap(value => {
    const block = toRecord(value);
    return block?.['type'] === 'tool_result' ? [toText(block['tool_use_id']) ?? ''] : [];
  });
}

/** Returns a command as the user typed it; undefined for any other text. */
function readCommand(text: string): string | undefined {
  const name = /<command-name>([^<]+)<\/command-name>/.exec(text)?.[1]?.trim();
  const given = /<command-args>([^<]*)<\/command-args>/.exec(text)?.[1]?.trim();
  return name === undefined ? undefined : [name, given].filter(Boolean).join(' ');
}

/** Its name must be that of a session, and each record must name the one before. */
function writeClaudeSession({ messages, cwd, time }: SessionToWrite): WrittenSession {
  const sessionId = newId();
  const next = recordTimes(time);
  const records: unknown[] = [];
  let parentUuid: string | null = null;
  const add = (role: 'user' | 'assistant', content: unknown) => {
    const [uuid, timestamp] = [newId(), next().toISOString()];
    // The program would merge answers without ids into one.
    const answer = role === 'assistant' ? { id: `msg_${shortId(24)}`, model: writtenModel } : {};
    const message = { ...answer, role, content };
    records.push({ type: role, uuid, parentUuid, timestamp, sessionId, cwd, isSidechain: false, message });
    parentUuid = uuid;
  };
  for (const message of messages) {
    if (message.role === 'user') add('user', writeBlocks(message.parts, writeImage));
    else
      add(
        'assistant',
        message.parts.map(part =>
          part.type === 'text' ? part : { type: 'tool_use', id: part.id, name: part.name, input: part.input },
        ),
      );
    const results = writtenCalls(message).map(({ id, output, isError }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: output,
      ...(isError && { is_error: true }),
    }));
    if (results.length > 0) add('user', results);
  }
  const continueFrom = (path: string) => `claude --resume ${path}`;
  return { sessionId, continueFrom, files: [{ name: `${sessionId}.jsonl`, text: toJsonLines(records) }] };
}
