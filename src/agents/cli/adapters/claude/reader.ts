import { defined } from '../../../../base/defined.ts';
import type { ToolOutput } from '../../../../events/tools.ts';
import { dropOldest } from '../../../drop-oldest.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { completesText } from '../../shared/completes-text.ts';
import type { RecordReader } from '../../shared/line-translator.ts';
import { type OpenCall, OpenCalls } from '../../shared/open-calls.ts';
import { readCommands } from '../../shared/reported-commands.ts';
import { joinedText, toList, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { ClaudeMessages } from './messages.ts';
import { ClaudePlan } from './plan.ts';
import { rateLimitMessage, retryMessage } from './system.ts';
import { ClaudeSubagents } from './subagents.ts';
import { ClaudeUsage } from './usage.ts';
import { readApiError, readBlocks, readRecoveredRead, readSkillFolder, readToolOutput } from './wire.ts';

type On = Readonly<Record<string, (record: WireRecord) => void>>;

/** The state of one process over several turns. */
export interface ClaudeSessionState {
  readonly usage: ClaudeUsage;
  readonly plan: ClaudePlan;
}

/** A call that the user is asked about. */
export interface AskedCall {
  readonly toolUseId: string;
  readonly name: string;
  readonly input: WireRecord;
  /** The program's id of the subagent that made it. */
  readonly taskId?: string | undefined;
}

/** Returns the call that a request for permission is about; undefined when it is another request. */
export function readAskedCall(request: WireRecord | undefined): AskedCall | undefined {
  const toolUseId = toText(request?.['tool_use_id']);
  const name = toText(request?.['tool_name']);
  const input = toRecord(request?.['input']);
  if (request?.['subtype'] !== 'can_use_tool' || toolUseId === undefined) return undefined;
  if (name === undefined || input === undefined) return undefined;
  return { toolUseId, name, input, taskId: toText(request['agent_id']) };
}

/** Translates the records of one turn. */
export class ClaudeReader implements RecordReader {
  readonly #context: LineContext;
  readonly #calls = new OpenCalls();
  readonly #subagents: ClaudeSubagents;
  readonly #messages: ClaudeMessages;
  readonly #usage: ClaudeUsage;
  readonly #denied = new Set<string>();
  readonly #plan: ClaudePlan;
  /** The calls that were emitted before the record of their message. */
  readonly #early = new Set<string>();
  /** The model of the main agent's last message. */
  #model: string | undefined;
  /** The result of a skill waits one record for the folder of the skill. */
  #skill: { readonly call: OpenCall; readonly output: ToolOutput } | undefined;

  constructor(
    context: LineContext,
    { usage, plan }: ClaudeSessionState = { usage: new ClaudeUsage(), plan: new ClaudePlan() },
  ) {
    this.#context = context;
    this.#usage = usage;
    this.#plan = plan;
    this.#messages = new ClaudeMessages(context);
    this.#subagents = new ClaudeSubagents(context, this.#calls, runId => this.#messages.forget(runId));
  }

  take(record: WireRecord): void {
    const sessionId = toText(record['session_id']);
    if (sessionId !== undefined && this.#context.sessionId === undefined && record['subtype'] !== 'init')
      this.#context.session(sessionId);
    this.#endSkill(readSkillFolder(record));
    dispatch(this.#on, toText(record['type']), record, () => this.#context.unknown(record));
  }

  flush(): void {
    this.#endSkill(undefined);
    this.#subagents.children.flush();
    const usage = this.#usage.subagents();
    if (usage !== undefined) this.#context.emit({ type: 'usage', agentId: 'claude/subagents', ...usage });
  }

  /** The program's ids of the running subagents. */
  get runningTasks(): readonly string[] {
    return this.#subagents.taskIds;
  }

  /** Returns the event id and the run of a call that needs a decision; emits the call if its record has not arrived. */
  asked({ toolUseId, name, input, taskId }: AskedCall): { readonly id: string; readonly runId: string } {
    const found = this.#calls.find(toolUseId);
    if (found !== undefined && found !== 'ambiguous') return found;
    const runId = (taskId === undefined ? undefined : this.#subagents.runOfTask(taskId)) ?? this.#context.runId;
    this.#messages.begin(runId);
    this.#early.add(toolUseId);
    dropOldest(this.#early);
    const call = this.#calls.add(toolUseId, { runId, name, input });
    this.#context.emit({ type: 'tool_call', runId, id: call.id, name, input });
    return call;
  }

  /** Returns the open call with the program's id; undefined if no call or more than one has it. */
  openCall(toolUseId: string): OpenCall | undefined {
    const found = this.#calls.find(toolUseId);
    return found === 'ambiguous' ? undefined : found;
  }

  /** Registers a call that was rejected: its error is a denial. */
  deny(toolUseId: string): void {
    this.#denied.add(toolUseId);
    dropOldest(this.#denied);
  }

  /** Takes the result of a turn that we interrupted: its usage counts, its failure does not. */
  interrupted(record: WireRecord): void {
    this.#endSkill(undefined);
    this.#context.finished = true;
    this.#countUsage(record);
    this.#context.forgive();
  }

  readonly #on: On = {
    system: record =>
      dispatch(this.#onSystem, toText(record['subtype']), record, () => this.#subagents.strange(record)),
    assistant: record => this.#assistant(record),
    user: record => this.#user(record),
    rate_limit_event: record => {
      const message = rateLimitMessage(record);
      if (message !== undefined) this.#context.emit({ type: 'warning', message, code: 'rate_limit' });
    },
    result: record => this.#result(record),
    stream_event: record => this.#messages.stream(this.#getRun(record), toRecord(record['event'])),
  };

  readonly #onSystem: On = {
    init: record => {
      const sessionId = toText(record['session_id']);
      const commands = readCommands(record['slash_commands']);
      const details = {
        cwd: toText(record['cwd']),
        model: toText(record['model']),
        ...(commands.length > 0 && { commands }),
      };
      if (sessionId === undefined) this.#context.unknown(record);
      else if (this.#context.sessionId !== sessionId || !this.#isAnnounced) this.#context.session(sessionId, details);
      this.#isAnnounced = true;
      const tools = toList(record['tools']).flatMap(name => (typeof name === 'string' ? { name } : []));
      const { model, permissionMode, output_style, agents, skills } = record;
      const settings = defined({ model, permissionMode, output_style, agents, skills });
      if (tools.length > 0) this.#context.reports({ provider: 'claude', tools, settings });
    },
    status: () => {},
    thinking_tokens: () => {},
    api_retry: record => {
      this.#context.forgive();
      const retryAfterMs = toNumber(record['retry_delay_ms']);
      const message = retryMessage(record);
      this.#context.emit({ type: 'warning', message, code: 'api_retry', ...defined({ retryAfterMs }) });
    },
    permission_denied: record => this.#deny(toText(record['tool_use_id']), record),
    task_started: record => this.#subagents.started(record),
    task_notification: record => this.#subagents.ended(record),
  };

  #isAnnounced = false;

  #assistant(record: WireRecord): void {
    const message = toRecord(record['message']);
    const blocks = readBlocks(message);
    if (message === undefined || blocks === undefined) {
      this.#context.unknown(record);
      return;
    }
    const runId = this.#getRun(record);
    if (runId === this.#context.runId) {
      this.#context.finished = false;
      if (message['model'] !== '<synthetic>') this.#model = toText(message['model']) ?? this.#model;
    }
    const failure = readApiError(record);
    if (failure !== undefined && runId === this.#context.runId) this.#context.fail(failure);
    else if (failure !== undefined) this.#subagents.failed(record, failure);
    else {
      this.#messages.enter(runId, message);
      for (const [index, block] of blocks.entries())
        this.#block(block, { runId, record, isFinal: completesText(blocks, index) });
    }
  }

  #block(value: unknown, { runId, record, isFinal }: { runId: string; record: WireRecord; isFinal: boolean }): void {
    const block = toRecord(value);
    const { type, text, thinking } = block ?? {};
    if (type === 'text' && typeof text === 'string') {
      const child = this.#subagents.of(record);
      if (child !== undefined) child.lastText = text;
      this.#messages.write(runId, 'text', text, isFinal);
    } else if (type === 'thinking' && typeof thinking === 'string') this.#messages.write(runId, 'reasoning', thinking);
    else if (type === 'tool_use') this.#toolUse(block as WireRecord, runId);
    else if (type !== 'redacted_thinking') this.#context.emit({ type: 'unknown', runId, raw: value ?? null });
  }

  #toolUse(block: WireRecord, runId: string): void {
    const [rawId, name, input] = [toText(block['id']), toText(block['name']), block['input']];
    if (rawId === undefined || name === undefined || input === undefined) {
      this.#context.emit({ type: 'unknown', runId, raw: block });
      return;
    }
    this.#messages.nextBlock(runId);
    if (this.#early.delete(rawId)) return;
    const { id } = this.#calls.add(rawId, { runId, name, input });
    this.#context.emit({ type: 'tool_call', runId, id, name, input });
  }

  /** Translates results; consumes an echoed prompt and injected text. */
  #user(record: WireRecord): void {
    const blocks = readBlocks(record['message']);
    if (blocks === undefined) this.#context.unknown(record);
    for (const value of blocks ?? []) {
      const block = toRecord(value);
      if (block?.['type'] === 'tool_result') this.#toolResult(block, record);
      else if (block === undefined || typeof block['type'] !== 'string') this.#context.unknown(value ?? null);
    }
  }

  #toolResult(block: WireRecord, record: WireRecord): void {
    const rawId = toText(block['tool_use_id']);
    const call = rawId === undefined ? undefined : (this.#calls.settle(rawId) ?? this.#recover(rawId, record));
    if (rawId === undefined || call === undefined || call === 'ambiguous' || !this.#isOpen(call.runId)) {
      this.#context.unknown(record);
      return;
    }
    const read = readToolOutput(block, record, call.name);
    const isDenied = this.#denied.delete(rawId) && 'error' in read;
    const output: ToolOutput = isDenied ? { status: 'denied', reason: read.error } : read;
    if (call.name === 'Skill' && 'context' in output) this.#skill = { call, output };
    else {
      if (call.name === 'Agent' || call.name === 'Task') this.#subagents.answered(rawId, call, { output, record });
      this.#endCall(call, output);
      const tasks = 'context' in output ? this.#plan.take(call, record['tool_use_result']) : undefined;
      if (tasks !== undefined) this.#context.emit({ type: 'tasks', runId: call.runId, tasks });
    }
  }

  #recover(rawId: string, record: WireRecord): OpenCall | undefined {
    const input = readRecoveredRead(record);
    if (input === undefined) return undefined;
    const runId = this.#getRun(record);
    const { id, name } = this.#calls.add(rawId, { runId, name: 'Read', input });
    this.#context.emit({ type: 'tool_call', runId, id, name, input });
    return this.#calls.settle(rawId) as OpenCall;
  }

  #endCall({ id, runId, name }: OpenCall, output: ToolOutput): void {
    this.#context.emit({ type: 'tool_result', runId, id, name, output });
  }

  #endSkill(folder: string | undefined): void {
    if (this.#skill === undefined) return;
    const { call, output } = this.#skill;
    this.#skill = undefined;
    this.#endCall(call, folder === undefined ? output : { ...output, result: { path: `${folder}/SKILL.md` } });
  }

  #getRun(record: WireRecord): string {
    return this.#subagents.of(record)?.runId ?? this.#context.runId;
  }

  #isOpen(runId: string): boolean {
    return runId === this.#context.runId || this.#subagents.children.isOpen(runId);
  }

  #deny(rawId: string | undefined, record: WireRecord): void {
    const message = toText(record['message']) ?? `${toText(record['tool_name']) ?? 'A tool'} was not permitted.`;
    if (rawId !== undefined) this.deny(rawId);
    this.#context.emit({ type: 'warning', message, code: 'permission_denied' });
  }

  /** A result does not end the run while background subagents are running: their end starts another turn. */
  #result(record: WireRecord): void {
    this.#context.finished = this.#subagents.size === 0;
    this.#countUsage(record);
    const subtype = toText(record['subtype']) ?? 'error';
    if (record['is_error'] !== true && !subtype.startsWith('error')) return;
    const reported = toText(record['result']) ?? joinedText(toList(record['errors'])) ?? '';
    const reason = subtype === 'error_max_turns' ? ('max_iterations' as const) : ('error' as const);
    const code = subtype === 'success' ? undefined : subtype;
    this.#context.fail({
      message: reported || (code === undefined ? '' : `Claude Code ended with ${code}.`),
      code,
      reason,
    });
  }

  #countUsage(record: WireRecord): void {
    const usage = this.#usage.take(record);
    const model = this.#model;
    if (usage !== undefined) this.#context.emit({ type: 'usage', ...usage, ...defined({ model }) });
  }
}

function dispatch(on: On, name: string | undefined, record: WireRecord, otherwise: () => void): void {
  if (name !== undefined && Object.hasOwn(on, name)) (on[name] as (record: WireRecord) => void)(record);
  else otherwise();
}
