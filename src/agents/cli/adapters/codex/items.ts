import { dropOldest } from '../../../drop-oldest.ts';
import { endingRuns } from '../../shared/child-runs.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { type OpenCall, OpenCalls } from '../../shared/open-calls.ts';
import { errorText } from '../../shared/readable-error.ts';
import { toList, toRecord, remainder, toText, type WireRecord } from '../../shared/wire-value.ts';
import { childEnds, type ItemTool, itemTools, readAgentStates, readTasks } from './wire.ts';

export type ItemPhase = 'started' | 'updated' | 'completed';
type Speech = 'text' | 'reasoning';

/** The runs of the agents that a thread starts. */
export interface AgentRuns {
  /** Starts the run of an agent, unless it is running. */
  start(id: string, parent: { readonly callId: string; readonly items: CodexItems }): void;
  /** Registers an agent of an earlier turn that a call is about. */
  mention(id: string, parent: { readonly callId: string; readonly items: CodexItems }): void;
  /** Ends a run with its answer or error; returns whether it was running. */
  end(id: string, reason: 'complete' | 'error' | 'aborted', answer?: string): boolean;
  /** Stores the last text of a run. */
  setLastText(runId: string, text: string): void;
}

export interface ItemOptions {
  readonly context: LineContext;
  readonly agents: AgentRuns;
  /** The run the items belong to; the main run when absent. */
  readonly runId?: string;
  /** Receives each new call, which has not started yet; undefined when a call starts at once. */
  readonly whenCalled?: (rawId: string) => void;
}

/** Translates the items of one Codex thread, in the form of `codex exec --json`, to the events of one run. */
export class CodexItems {
  readonly runId: string;
  readonly #context: LineContext;
  readonly #agents: AgentRuns;
  readonly #whenCalled: ((rawId: string) => void) | undefined;
  /** The open calls, by the ids of their items. */
  readonly calls = new OpenCalls();
  /** The streamed text of messages that are not complete, by item. */
  readonly #streamed = new Map<string, { readonly type: Speech; text: string }>();
  /** Items of unknown types, until they are completed. */
  readonly #strange = new Map<string, WireRecord>();
  /** Calls that were declined and have no result, by event id. */
  readonly #declined = new Set<string>();
  /** Agents whose end no call has reported. */
  readonly #ended = new Set<string>();
  /** The last emitted tasks. */
  #tasks = '';
  #isOver = false;

  constructor({ context, agents, runId = context.runId, whenCalled }: ItemOptions) {
    this.#context = context;
    this.#agents = agents;
    this.runId = runId;
    this.#whenCalled = whenCalled;
  }

  /** Translates an item; `record` is the message that carries it. */
  take(phase: ItemPhase, item: WireRecord | undefined, record: WireRecord): void {
    const id = toText(item?.['id']);
    const type = toText(item?.['type']);
    if (item === undefined || id === undefined || type === undefined) this.#context.unknown(record);
    else if (type === 'agent_message' || type === 'reasoning')
      this.#speech(phase, { type: type === 'reasoning' ? type : 'text', id, item, record });
    else if (type === 'error') this.#notice(phase, item);
    else if (Object.hasOwn(itemTools, type)) this.#tool(phase, id, { item, record, tool: itemTools[type] as ItemTool });
    else if (phase === 'completed') {
      this.#strange.delete(id);
      this.#context.unknown(record);
    } else {
      this.#strange.set(id, record);
      dropOldest(this.#strange);
    }
  }

  /** Emits a fragment of a message. */
  stream(type: Speech, id: string, fragment: string): void {
    const open = this.#streamed.get(id);
    if (open === undefined) this.#streamed.set(id, { type, text: fragment });
    else open.text += fragment;
    const fields = { runId: this.runId, id: this.#toId(id), content: fragment };
    this.#context.emit(type === 'text' ? { type, ...fields, final: false } : { type, ...fields });
  }

  /** Ends the messages that were streamed and never completed. */
  endStreams(): void {
    for (const [id, { type }] of this.#streamed)
      if (type === 'text')
        this.#context.emit({ type, runId: this.runId, id: this.#toId(id), content: '', final: true });
    this.#streamed.clear();
  }

  /** Emits the final events of the run; later calls emit nothing. */
  flush(): void {
    this.endStreams();
    for (const item of this.#strange.values()) this.#context.unknown(item);
    this.#strange.clear();
    this.#isOver = true;
  }

  /** Returns the open call of an item; undefined if no call or more than one has its id. */
  find(rawId: string): OpenCall | undefined {
    const found = this.calls.find(rawId);
    return found === 'ambiguous' ? undefined : found;
  }

  /** Emits the call of an item. */
  call(rawId: string, { name, input }: { name: string; input: unknown }): OpenCall {
    const call = this.calls.add(rawId, { runId: this.runId, name, input });
    this.#context.emit({ type: 'tool_call', runId: this.runId, id: call.id, name, input });
    return call;
  }

  /** Emits the start of an item's call, once. */
  start(rawId: string): void {
    const call = this.find(rawId);
    if (call === undefined || call.started || this.#isOver) return;
    call.started = true;
    this.#context.emit({ type: 'tool_start', runId: this.runId, id: call.id, name: call.name });
  }

  /** Registers the decision on an item's call. The driver emits the start of an allowed one. */
  decided(rawId: string, isAllowed: boolean): void {
    const call = this.find(rawId);
    if (call === undefined) return;
    if (isAllowed) call.started = true;
    else this.#declined.add(call.id);
  }

  /** Emits the result of a call that has no separate item. */
  settle(rawId: string, output: Parameters<typeof endingRuns>[0]): void {
    const call = this.calls.settle(rawId);
    if (call !== undefined && call !== 'ambiguous' && !this.#isOver) this.#result(call, output);
  }

  /** Registers the end of an agent that the next call about agents reports. */
  agentEnded(id: string): void {
    this.#ended.add(id);
    dropOldest(this.#ended);
  }

  /** The completed item contains the whole text; the earlier ones repeat parts of it. */
  #speech(phase: ItemPhase, of: { type: Speech; id: string; item: WireRecord; record: WireRecord }): void {
    if (phase !== 'completed') return;
    const { type, id, item, record } = of;
    const content = item['text'];
    if (typeof content !== 'string') {
      this.#context.unknown(record);
      return;
    }
    const streamed = this.#streamed.get(id)?.text ?? '';
    this.#streamed.delete(id);
    const rest = remainder(streamed, content);
    const fields = {
      runId: this.runId,
      id: rest === undefined ? `${this.#toId(id)}-whole` : this.#toId(id),
      content: rest ?? content,
    };
    if (type === 'text') this.#context.emit({ type, ...fields, final: true });
    else if (rest !== '' || streamed === '') this.#context.emit({ type, ...fields });
    if (type === 'text') this.#agents.setLastText(this.runId, content);
  }

  #notice(phase: ItemPhase, item: WireRecord): void {
    const message = typeof item['message'] === 'string' ? item['message'] : errorText(item['message'] ?? item['error']);
    if (phase === 'completed') this.#context.emit({ type: 'error', runId: this.runId, message });
  }

  #tool(phase: ItemPhase, rawId: string, of: { item: WireRecord; record: WireRecord; tool: ItemTool }): void {
    const { item, record, tool } = of;
    const make = () => this.call(rawId, { name: tool.name(item), input: tool.input(item) });
    if (phase === 'started') {
      const { id: callId } = make();
      for (const id of toList(item['receiver_thread_ids']))
        if (typeof id === 'string') this.#agents.mention(id, { callId, items: this });
      if (this.#whenCalled === undefined) this.start(rawId);
      else this.#whenCalled(rawId);
    }
    if (item['type'] === 'todo_list') this.#plan(item);
    if (phase !== 'completed') return;
    // An item that was never started, as in older versions, is its own call.
    const call = this.calls.find(rawId) ?? make();
    if (call === 'ambiguous') {
      this.#context.unknown(record);
      return;
    }
    const isDeclined = item['status'] === 'declined' || this.#declined.delete(call.id);
    if (this.#whenCalled !== undefined && !isDeclined) this.start(rawId);
    this.calls.settle(rawId);
    const ended = item['type'] === 'collab_tool_call' ? this.#collaborate(item, call.id) : [];
    const output = tool.output(item);
    if (isDeclined && 'error' in output) this.#result(call, { status: 'denied', reason: output.error });
    else this.#result(call, endingRuns(output, ended));
  }

  #result({ id, name }: OpenCall, output: Parameters<typeof endingRuns>[0]): void {
    this.#context.emit({ type: 'tool_result', runId: this.runId, id, name, output });
  }

  /** The last report of a list often repeats the previous one. */
  #plan(item: WireRecord): void {
    const tasks = readTasks(item);
    const serialized = JSON.stringify(tasks);
    if (tasks === undefined || serialized === this.#tasks) return;
    this.#tasks = serialized;
    this.#context.emit({ type: 'tasks', runId: this.runId, tasks });
  }

  /** Starts and ends the runs of the agents that a call names; returns the ids of those that ended. */
  #collaborate(item: WireRecord, callId: string): string[] {
    const ended = readAgentStates(item).flatMap(({ id, status, message }) => {
      const reason = childEnds.get(status);
      if (item['tool'] === 'spawn_agent') this.#agents.start(id, { callId, items: this });
      if (reason === undefined) return [];
      return this.#agents.end(id, reason, message) || this.#ended.has(id) ? [id] : [];
    });
    if (item['tool'] === 'wait' && toRecord(item['agents_states']) !== undefined && ended.length === 0)
      ended.push(...this.#ended);
    for (const id of ended) this.#ended.delete(id);
    return ended;
  }

  #toId(rawId: string): string {
    return `${this.runId}/${rawId}`;
  }
}
