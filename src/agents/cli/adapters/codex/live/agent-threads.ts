import { ChildRuns } from '../../../shared/child-runs.ts';
import type { LineContext } from '../../../shared/line-context.ts';
import { toText, type WireRecord } from '../../../shared/wire-value.ts';
import { type AgentRuns, CodexItems, type ItemPhase } from '../items.ts';
import { defined } from '../../../../../base/defined.ts';

/** A thread of Codex within a turn of ours: the session itself, or a subagent. */
export interface AgentThread {
  readonly id: string;
  readonly items: CodexItems;
  /** The open turn of the thread. */
  turnId: string | undefined;
  /** The part of the reasoning that streams, by item. */
  readonly reasoning: Map<string, unknown>;
}

interface Spawned {
  readonly items: CodexItems;
  /** The event id of the call that started it. */
  readonly callId: string;
  readonly model?: string | undefined;
}

/** The threads of one turn: the main one, and those of subagents as child runs. */
export class AgentThreads implements AgentRuns {
  readonly main: AgentThread;
  readonly #context: LineContext;
  readonly #runs: ChildRuns;
  readonly #suffix: string;
  readonly #whenCalled: (thread: AgentThread, rawId: string) => void;
  readonly #open = new Map<string, AgentThread>();
  readonly #spawned = new Map<string, Spawned>();

  constructor(
    context: LineContext,
    options: {
      readonly mainId: string;
      /** Distinguishes the runs of subagents from those in earlier turns of the same run. */
      readonly suffix: string;
      /** Receives each new call, which has not started yet. */
      readonly whenCalled: (thread: AgentThread, rawId: string) => void;
    },
  ) {
    this.#context = context;
    this.#runs = new ChildRuns(context);
    this.#whenCalled = options.whenCalled;
    this.#suffix = options.suffix;
    this.main = this.#thread(options.mainId, context.runId);
  }

  /** The threads that are not over, the main one first. */
  get all(): readonly AgentThread[] {
    return [this.main, ...this.#open.values()];
  }

  /** Whether a subagent is running. */
  get isBusy(): boolean {
    return [...this.#open.values()].some(thread => thread.turnId !== undefined);
  }

  /** Returns the thread with this id; assigns an unannounced thread to a spawn call that has no result yet. */
  find(id: string | undefined): AgentThread | undefined {
    if (id === undefined || id === this.main.id) return id === undefined ? undefined : this.main;
    const open = this.#open.get(id);
    if (open !== undefined || this.#spawned.has(id)) return open;
    for (const { items } of this.all) {
      const spawn = items.calls.findLast(call => call.name === 'spawn_agent');
      if (spawn !== undefined) return this.#spawn(id, { items, callId: spawn.call.id });
    }
    return undefined;
  }

  /** Returns the thread of a turn that begins; a subagent that was over runs again. */
  begin(id: string | undefined): AgentThread | undefined {
    const found = this.find(id);
    const spawned = this.#spawned.get(id ?? '');
    return found ?? (spawned && this.#spawn(id as string, spawned));
  }

  /** Translates the report of a subagent that was started, stopped or spoken to; its parent may be over. */
  activity(
    parent: AgentThread | undefined,
    phase: ItemPhase,
    { item, record }: { item: WireRecord; record: WireRecord },
  ): void {
    const rawId = toText(item['id']);
    const id = toText(item['agentThreadId']);
    const isAboutNobody = parent === undefined && !this.#spawned.has(id ?? '');
    if (rawId === undefined || id === undefined || isAboutNobody) this.#context.unknown(record);
    else if (phase === 'completed' && item['kind'] === 'completed') this.end(id, 'complete');
    else if (phase === 'completed' && item['kind'] === 'interrupted') this.end(id, 'aborted');
    else if (parent === undefined) return;
    else if (item['kind'] === 'started') this.#started(parent, phase, { rawId, id, item });
    else if (item['kind'] === 'interacted') this.#continued(parent, phase, { rawId, id, item });
  }

  start(id: string, parent: { readonly callId: string; readonly items: CodexItems }): void {
    if (!this.#spawned.has(id)) this.#spawn(id, parent);
  }

  mention(id: string, parent: { readonly callId: string; readonly items: CodexItems }): void {
    if (!this.#spawned.has(id) && id !== this.main.id) this.#spawned.set(id, parent);
  }

  end(id: string, reason: 'complete' | 'error' | 'aborted', answer?: string): boolean {
    this.#open.get(id)?.items.flush();
    this.#open.delete(id);
    const wasRunning = this.#runs.end(id, reason, answer);
    if (wasRunning) this.#spawned.get(id)?.items.agentEnded(id);
    return wasRunning;
  }

  setLastText(runId: string, text: string): void {
    this.#runs.setLastText(runId, text);
  }

  /** Emits the error of a running subagent. */
  fail(id: string, message: string): void {
    this.#runs.fail(id, { message });
  }

  flush(): void {
    for (const thread of this.all.toReversed()) thread.items.flush();
    this.#open.clear();
    this.#runs.flush();
  }

  #started(parent: AgentThread, phase: ItemPhase, of: { rawId: string; id: string; item: WireRecord }): void {
    const { rawId, id, item } = of;
    const agent = toText(item['agentPath']);
    const model = toText(item['model']);
    if (!this.#spawned.has(id)) {
      const call = parent.items.call(rawId, { name: 'spawn_agent', input: defined({ agent, model }) });
      parent.items.start(rawId);
      this.#spawn(id, { items: parent.items, callId: call.id, model });
    }
    if (phase === 'completed') parent.items.settle(rawId, { context: defined({ agent }) });
  }

  /** A message to a subagent of an earlier turn is the call that its next run belongs to. */
  #continued(parent: AgentThread, phase: ItemPhase, of: { rawId: string; id: string; item: WireRecord }): void {
    const { rawId, id, item } = of;
    const agent = toText(item['agentPath']);
    if (!this.#spawned.has(id)) {
      const call = parent.items.call(rawId, { name: 'send_input', input: defined({ agent }) });
      parent.items.start(rawId);
      this.mention(id, { items: parent.items, callId: call.id });
    }
    if (phase === 'completed') parent.items.settle(rawId, { context: defined({ agent }) });
  }

  #spawn(id: string, spawned: Spawned): AgentThread {
    this.#spawned.set(id, spawned);
    const { callId: parentId, model } = spawned;
    const { runId } = this.#runs.start(id, { id: `${id}${this.#suffix}`, parentId, agentId: 'codex', model });
    const thread = this.#thread(id, runId);
    this.#open.set(id, thread);
    return thread;
  }

  #thread(id: string, runId: string): AgentThread {
    const items: CodexItems = new CodexItems({
      context: this.#context,
      agents: this,
      runId,
      whenCalled: rawId => this.#whenCalled(thread, rawId),
    });
    const thread: AgentThread = { id, items, turnId: undefined, reasoning: new Map() };
    return thread;
  }
}
