import type { ToolOutput } from '../../../../events/tools.ts';
import type { LineContext } from '../../shared/line-context.ts';
import type { OpenCall, OpenCalls } from '../../shared/open-calls.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { contentDiffs, contentText, toOutput } from './call-content.ts';
import type { AcpMessages } from './messages.ts';
import type { AcpProfile, CallFields, SubagentRules } from './profile.ts';

/** The state of a reported call. */
interface KnownCall {
  fields: CallFields;
  runId: string;
  /** Set when its `tool_call` has been emitted. */
  open?: OpenCall;
  isEnded: boolean;
  isSettled: boolean;
  /** The reason that it was rejected with. */
  denial?: string | undefined;
  reports: number;
}

/** A call that a permission is requested for. */
export interface AskedCall {
  readonly open: OpenCall;
  readonly fields: CallFields;
  readonly input: WireRecord;
}

interface CallsOptions {
  readonly context: LineContext;
  readonly messages: AcpMessages;
  readonly profile: AcpProfile;
  readonly subagents: SubagentRules | undefined;
  /** Creates the ids of calls, which are unique over the turns of a run. */
  readonly ids: OpenCalls;
}

/**
 * Emits each call once, in any order of its records: some programs send updates before the call, ask before they
 * announce it, or announce it before its arguments are complete.
 */
export class AcpCalls {
  readonly #options: CallsOptions;
  readonly #known = new Map<string, KnownCall>();

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Handles `tool_call` or `tool_call_update`; returns whether it understood it. */
  take(update: WireRecord): boolean {
    const rawId = toText(update['toolCallId']);
    if (rawId === undefined) return false;
    const call = this.#merge(rawId, update);
    // A record of a call that has its result changes nothing.
    if (call.isSettled) return true;
    const { status } = call.fields;
    // The arguments of a pending call may still be incomplete.
    if (status !== 'pending' || this.#options.profile.calls.announcesWhole === true) this.#emit(call);
    if (status === 'in_progress') this.#start(call);
    if (update['status'] === 'completed' || update['status'] === 'failed') this.#end(call, update);
    else this.#progress(call, update);
    return true;
  }

  /** Handles the call of a permission request; undefined when it has its result or cannot be read. */
  ask(toolCall: WireRecord | undefined): AskedCall | undefined {
    const rawId = toText(toolCall?.['toolCallId']);
    if (toolCall === undefined || rawId === undefined) return undefined;
    const call = this.#merge(rawId, toolCall);
    if (call.isSettled || call.isEnded) return undefined;
    const open = this.#emit(call);
    return { open, fields: call.fields, input: toRecord(open.input) ?? {} };
  }

  /** The text that calls of this turn last wrote to a file; undefined when none did. */
  written(path: string): string | undefined {
    const diffs = [...this.#known.values()].flatMap(({ fields }) => contentDiffs(fields.content));
    return diffs.findLast(diff => diff.path === path)?.newText;
  }

  /** Registers a rejected call; emits its result immediately if the program does not report one. */
  reject(rawId: string, reason: string | undefined, isReported: boolean): void {
    const call = this.#known.get(rawId);
    if (call === undefined || call.isSettled) return;
    call.denial = reason ?? '';
    if (!isReported) this.#settle(call, { status: 'denied', reason: reason ?? 'It was not allowed.' });
  }

  /** Emits calls that stayed pending, and the results of calls whose end was reported without an output. */
  flush(): void {
    for (const call of this.#known.values()) {
      this.#emit(call);
      if (call.isEnded && !call.isSettled) this.#settle(call, this.#output(call));
    }
  }

  /** The run of a call; that of the parent when its subagent has ended before it. */
  #getRun({ runId }: KnownCall): string {
    const { context, subagents } = this.#options;
    return subagents?.isOpen(runId) === true ? runId : context.runId;
  }

  #merge(rawId: string, update: WireRecord): KnownCall {
    const known = this.#known.get(rawId);
    const meta = toRecord(update['_meta']) ?? {};
    const old = known?.fields;
    const input = toRecord(update['rawInput']);
    const fields: CallFields = {
      rawId,
      title: toText(update['title']) ?? old?.title,
      kind: toText(update['kind']) ?? old?.kind,
      status: toText(update['status']) ?? old?.status,
      // The arguments in a request may be rewritten: those of the call itself count.
      rawInput: old?.rawInput !== undefined && known?.open !== undefined ? old.rawInput : (input ?? old?.rawInput),
      rawOutput: update['rawOutput'] ?? old?.rawOutput,
      content: update['content'] ?? old?.content,
      locations: update['locations'] ?? old?.locations,
      meta: { ...old?.meta, ...meta },
    };
    if (known !== undefined) {
      known.fields = fields;
      return known;
    }
    const runId = this.#options.subagents?.runOf(meta) ?? this.#options.context.runId;
    const call: KnownCall = { fields, runId, isEnded: false, isSettled: false, reports: 0 };
    this.#known.set(rawId, call);
    return call;
  }

  #emit(call: KnownCall): OpenCall {
    if (call.open !== undefined) return call.open;
    const { context, messages, profile, subagents } = this.#options;
    const { fields } = call;
    const runId = this.#getRun(call);
    const name = profile.calls.nameOf(fields) ?? fields.title ?? fields.kind ?? 'tool';
    const input = profile.calls.inputOf?.(fields, name) ?? toRecord(fields.rawInput) ?? {};
    messages.endBlock(runId, profile.messageIdOf?.(fields.meta));
    const open = this.#options.ids.add(fields.rawId, { runId, name, input });
    call.open = open;
    context.emit({ type: 'tool_call', runId, id: open.id, name, input });
    subagents?.called(fields.rawId, open);
    return open;
  }

  #start(call: KnownCall): void {
    const open = this.#emit(call);
    if (open.started) return;
    open.started = true;
    this.#options.context.emit({ type: 'tool_start', runId: this.#getRun(call), id: open.id, name: open.name });
  }

  #progress(call: KnownCall, update: WireRecord): void {
    const { context, profile, subagents } = this.#options;
    if (subagents?.progress(call.fields.rawId, update) === true) return;
    const content = profile.calls.progressOf?.(update) ?? contentText(update['content']);
    if (content === undefined || update['sessionUpdate'] !== 'tool_call_update' || call.open === undefined) return;
    const { id, name } = call.open;
    const report = `${id}/p${++call.reports}`;
    context.emit({ type: 'tool_progress', runId: this.#getRun(call), id: report, toolCallId: id, name, content });
  }

  #end(call: KnownCall, update: WireRecord): void {
    this.#emit(call);
    call.isEnded = true;
    if (update['rawOutput'] !== undefined || update['content'] !== undefined) this.#settle(call, this.#output(call));
  }

  #output({ fields, open, denial }: KnownCall): ToolOutput {
    const output = this.#options.profile.calls.outputOf?.(fields, open?.name ?? '') ?? toOutput(fields);
    if (denial === undefined || !('error' in output)) return output;
    return { status: 'denied', reason: denial || output.error };
  }

  #settle(call: KnownCall, output: ToolOutput): void {
    const { context, messages, subagents } = this.#options;
    const open = this.#emit(call);
    call.isSettled = true;
    this.#options.ids.settle(call.fields.rawId);
    messages.result(this.#getRun(call));
    const reported = subagents?.answered(call.fields.rawId, open, output) ?? output;
    context.emit({ type: 'tool_result', runId: this.#getRun(call), id: open.id, name: open.name, output: reported });
  }
}
