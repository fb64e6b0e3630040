import { replacesAttempt, type StepAttempt } from '../../events/attempt.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { toToolOutput } from '../../events/tools.ts';
import { addUsage, noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import {
  type ContentMessage,
  longestAttribute,
  type MessagePart,
  type ModelContexts,
  toArguments,
  toResponse,
  toToolMessage,
} from './message-content.ts';
import { OpenSpan, type Span, type SpanParent } from './span.ts';
import { nameModel } from './provider-names.ts';

export interface RunSpansOptions {
  readonly threadId: string;
  readonly runId: string;
  readonly agentId: string;
  readonly model: string | undefined;
  readonly span: OpenSpan;
  readonly contexts: ModelContexts;
  /** The messages that it begins with; undefined when content is not recorded. */
  readonly input: readonly ContentMessage[] | undefined;
}

interface OpenCall {
  readonly span: OpenSpan;
  readonly attempt: StepAttempt;
  readonly callId: string | undefined;
  readonly contextId: string | undefined;
  firstChunk?: number;
}

interface OpenTool {
  readonly span: OpenSpan;
  waitedMs: number;
}

const failures = ['error', 'timeout', 'interrupted', 'limit_reached', 'max_iterations'];

/** The open spans of one run: the run, its model call, its tools and its relays. */
export class RunSpans {
  readonly #options: RunSpansOptions;
  readonly #tools = new Map<string, OpenTool>();
  readonly #relays = new Map<string, { readonly span: OpenSpan; readonly tool: OpenTool | undefined }>();
  /** The spans of its calls and executions, also of those that have ended: runs may begin inside of them. */
  readonly #contexts = new Map<string, SpanParent>();
  /** How many spans had the same kind and id. */
  readonly #counts = new Map<string, number>();
  #model: string | undefined;
  #contextId: string | undefined;
  #call: OpenCall | undefined;
  #attempt: StepAttempt | undefined;
  #hasSteps = false;
  /** Whether a model without steps has written something since its last usage. */
  #hasSpoken = false;
  /** The earliest time at which the current model call may have started. */
  #since: number;
  #usage: UsageCounts = noUsage;
  #finishReason: string | undefined;
  #error: EventOf<'error'> | undefined;
  #isCompacted = false;
  #input: ContentMessage[];
  #output: MessagePart[] = [];
  #lastOutput: ContentMessage | undefined;

  constructor(options: RunSpansOptions) {
    const { span, threadId, agentId, input } = options;
    this.#options = options;
    this.#model = options.model;
    this.#since = span.start;
    this.#input = [...(input ?? [])];
    span.set({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agentId,
      'gen_ai.agent.id': agentId,
      'gen_ai.conversation.id': threadId,
    });
    if (input !== undefined && input.length > 0) span.setJson('gen_ai.input.messages', input);
  }

  get span(): OpenSpan {
    return this.#options.span;
  }

  /** Returns the span of a call or an execution of this run. */
  findCall(id: string): SpanParent | undefined {
    return this.#contexts.get(id);
  }

  /** The next model call is the first one after a compaction. */
  compact(): void {
    this.#isCompacted = true;
  }

  /** Adds a message to the input of the next model call. */
  hear(message: ContentMessage): void {
    if (this.#options.input !== undefined) this.#input.push(message);
  }

  /** Takes an event of the run; returns the spans that it ends. */
  take(event: AgentEvent, time: number, activity: string | undefined): Span[] {
    switch (event.type) {
      case 'step_start':
        return this.#beginStep(event, time);
      case 'session':
        this.#model ??= event.model;
        return [];
      case 'text':
      case 'reasoning':
        this.#speak(time, () => this.#addText(event));
        return [];
      case 'tool_input_delta':
        this.#speak(time);
        return [];
      case 'usage':
        return this.#account(event, time);
      case 'tool_call':
        this.#speak(time, () =>
          this.#output.push({ type: 'tool_call', id: event.id, name: event.name, arguments: toArguments(event.input) }),
        );
        this.#beginTool(event, time);
        return [];
      case 'tool_start':
        if (!this.#contexts.has(event.id)) this.#beginTool(event, time);
        return [];
      case 'tool_result':
        return this.#endTool(event, time, activity);
      case 'repl_input':
        this.#speak(time);
        this.#open('repl', event.id, 'execute_tool repl', time)?.span.set({
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'repl',
          'gen_ai.tool.call.id': event.id,
          'gen_ai.tool.type': 'function',
        });
        if (this.#hasContent)
          this.#tools.get(event.id)?.span.setJson('gen_ai.tool.call.arguments', { code: event.code });
        return [];
      case 'repl_output':
        if (this.#hasContent) this.#tools.get(event.id)?.span.setJson('gen_ai.tool.call.result', event.stdout);
        return this.#close(event.id, time, event.error === undefined ? undefined : ['tool_error', event.error]);
      case 'relay':
        this.#ask(event, time);
        return [];
      case 'error':
        this.#error = event;
        this.span.add('exception', time, {
          'exception.type': event.code ?? 'error',
          'exception.message': event.message,
        });
        return [];
      default:
        return [];
    }
  }

  /** Ends the span of a relay. */
  resolve(
    { relayId, outcome, by }: Pick<EventOf<'relay_resolved'>, 'relayId' | 'outcome' | 'by'>,
    time: number,
  ): Span[] {
    const relay = this.#relays.get(relayId);
    if (relay === undefined) return [];
    this.#relays.delete(relayId);
    const waitedMs = Math.max(0, time - relay.span.start);
    relay.span.set({
      'singletree.relay.outcome': outcome,
      'singletree.relay.by': by,
      'singletree.wait_ms': waitedMs,
    });
    if (relay.tool !== undefined) relay.tool.waitedMs += waitedMs;
    return [relay.span.end(time)];
  }

  /** Ends the run and everything in it that is open. */
  end(reason: string, time: number): Span[] {
    const { span } = this;
    const calls = this.#call !== undefined || this.#hasSpoken ? this.#endCall(time) : [];
    const relays = [...this.#relays.keys()].flatMap(relayId => this.resolve({ relayId, outcome: 'cancelled' }, time));
    const tools = [...this.#tools.keys()].flatMap(id => this.#close(id, time, ['interrupted', 'It has no result.']));
    span.set({ ...this.#modelAttributes(this.#model), ...usageAttributes(this.#usage), 'singletree.outcome': reason });
    if (this.#finishReason !== undefined) span.set({ 'gen_ai.response.finish_reasons': [this.#finishReason] });
    if (this.#lastOutput !== undefined) span.setJson('gen_ai.output.messages', [this.#lastOutput]);
    if (failures.includes(reason))
      span.fail(reason === 'error' ? (this.#error?.code ?? reason) : reason, this.#error?.message);
    return [...calls, ...relays, ...tools, span.end(time)];
  }

  get #hasContent(): boolean {
    return this.#options.input !== undefined;
  }

  #beginStep({ step, callId, model, contextId, messages }: EventOf<'step_start'>, time: number): Span[] {
    const isReplaced = replacesAttempt(this.#attempt, step);
    const ended = this.#call === undefined ? [] : this.#endCall(time, isReplaced);
    this.#hasSteps = true;
    this.#hasSpoken = false;
    this.#output = [];
    this.#model = model ?? this.#model;
    this.#contextId = contextId ?? this.#contextId;
    this.#attempt = { step, isComplete: false };
    for (const { role, content } of messages ?? []) this.hear({ role, parts: [toTextPart(content)] });
    this.#call = { span: this.#newCall(time), attempt: this.#attempt, callId, contextId };
    return ended;
  }

  #newCall(start: number): OpenSpan {
    const { runId, threadId } = this.#options;
    const part = `call/${this.#count('call')}`;
    const span = OpenSpan.inside(this.span.context, { runId, part, name: 'chat', kind: 'client', start });
    span.set({ 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': threadId });
    if (this.#isCompacted) span.set({ 'gen_ai.conversation.compacted': true });
    this.#isCompacted = false;
    return span;
  }

  /** The model writes. */
  #speak(time: number, addOutput?: () => void): void {
    if (this.#call !== undefined) this.#call.firstChunk ??= time;
    else if (!this.#hasSteps) this.#hasSpoken = true;
    if (this.#hasContent) addOutput?.();
  }

  #addText({ type, content }: EventOf<'text' | 'reasoning'>): void {
    const last = this.#output.at(-1);
    const before = last?.type === type ? String(last['content']) : undefined;
    if (before !== undefined) this.#output.pop();
    const part = { type, content: `${before ?? ''}${content}`.slice(0, 2 * longestAttribute) };
    this.#output.push(part);
  }

  #account(event: EventOf<'usage'>, time: number): Span[] {
    this.#usage = addUsage(this.#usage, event);
    this.#finishReason = event.finishReason ?? this.#finishReason;
    this.#model ??= event.model;
    const isOther =
      event.callId !== undefined && this.#call?.callId !== undefined && event.callId !== this.#call.callId;
    return this.#endCall(time, false, event, isOther);
  }

  /** Ends the open model call, or creates one whose start was not reported. */
  #endCall(time: number, isReplaced = false, usage?: EventOf<'usage'>, isOther = false): Span[] {
    const call = isOther ? undefined : this.#call;
    const span = call?.span ?? this.#newCall(this.#since);
    const { provider, reported, instructions } = this.#options.contexts.get(call?.contextId) ?? {};
    const requested = nameModel(this.#model ?? usage?.model, this.#options.agentId);
    span.rename(requested.model === undefined ? 'chat' : `chat ${requested.model}`);
    span.set({
      ...this.#modelAttributes(this.#model ?? usage?.model),
      'gen_ai.response.model': usage?.model && nameModel(usage.model, this.#options.agentId).model,
    });
    if (call?.firstChunk !== undefined && provider !== undefined && reported !== true)
      span.set({
        'gen_ai.request.stream': true,
        'gen_ai.response.time_to_first_chunk': Math.max(0, call.firstChunk - span.start) / 1000,
      });
    if (usage !== undefined) span.set(usageAttributes(usage));
    if (usage?.finishReason !== undefined) span.set({ 'gen_ai.response.finish_reasons': [usage.finishReason] });
    if (isReplaced) span.fail('replaced', 'The attempt was repeated.');
    if (this.#hasContent && !isOther) {
      if (instructions !== undefined)
        span.setJson('gen_ai.system_instructions', [{ type: 'text', content: instructions }]);
      const tools = this.#options.contexts.tools(call?.contextId);
      if (tools.length > 0) span.setJson('gen_ai.tool.definitions', tools.map(toDefinition));
      this.#addContent(span, usage?.finishReason);
    }
    if (!isOther) {
      this.#call = undefined;
      this.#hasSpoken = false;
      if (usage !== undefined) this.#attempt = { ...this.#attempt, isComplete: true };
    }
    this.#since = time;
    return [span.end(time)];
  }

  /** Adds the messages sent to the model since the previous call, and its answer. */
  #addContent(span: OpenSpan, finishReason: string | undefined): void {
    if (this.#input.length > 0) span.setJson('gen_ai.input.messages', this.#input);
    if (this.#output.length > 0) {
      this.#lastOutput = { role: 'assistant', parts: this.#output, finish_reason: finishReason ?? 'stop' };
      span.setJson('gen_ai.output.messages', [this.#lastOutput]);
    }
    this.#input = [];
    this.#output = [];
  }

  #beginTool(event: EventOf<'tool_call' | 'tool_start' | 'tool_result'>, time: number): void {
    const { id, name } = event;
    const tool = this.#open('tool', id, `execute_tool ${name}`, time);
    if (tool === undefined) return;
    const described = this.#options.contexts.tools(this.#contextId).find(each => each['name'] === name);
    const description = described?.['description'];
    tool.span.set({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.type': name.startsWith('mcp__') ? 'extension' : 'function',
      'gen_ai.tool.description': typeof description === 'string' ? description : undefined,
    });
    if (this.#hasContent && event.type === 'tool_call')
      tool.span.setJson('gen_ai.tool.call.arguments', toArguments(event.input));
  }

  #endTool(event: EventOf<'tool_result'>, time: number, activity: string | undefined): Span[] {
    const { id, output } = event;
    if (!this.#contexts.has(id)) this.#beginTool(event, time);
    const tool = this.#tools.get(id);
    if (tool === undefined) return [];
    tool.span.set({ 'singletree.activity': activity });
    if (this.#hasContent) tool.span.setJson('gen_ai.tool.call.result', toResponse(output));
    this.hear(toToolMessage(event));
    const result = toToolOutput(output);
    if ('status' in result) return this.#close(id, time, ['denied', result.reason]);
    return this.#close(id, time, 'error' in result ? ['tool_error', result.error] : undefined);
  }

  /** Opens the span of a call or an execution; undefined when it is open already. */
  #open(kind: 'tool' | 'repl', id: string, name: string, start: number): OpenTool | undefined {
    if (this.#tools.has(id)) return undefined;
    const { runId } = this.#options;
    const number = this.#count(`${kind}/${id}`);
    const part = `${kind}/${id}${number === 0 ? '' : `#${number}`}`;
    const span = OpenSpan.inside(this.span.context, { runId, part, name, kind: 'internal', start });
    const tool = { span, waitedMs: 0 };
    span.set({ 'gen_ai.conversation.id': this.#options.threadId });
    this.#tools.set(id, tool);
    this.#contexts.set(id, span.context);
    return tool;
  }

  #close(id: string, time: number, failure: readonly [type: string, message: string] | undefined): Span[] {
    const tool = this.#tools.get(id);
    if (tool === undefined) return [];
    this.#tools.delete(id);
    this.#since = time;
    if (tool.waitedMs > 0) tool.span.set({ 'singletree.wait_ms': tool.waitedMs });
    if (failure !== undefined) tool.span.fail(...failure);
    return [tool.span.end(time)];
  }

  #ask(event: EventOf<'relay'>, start: number): void {
    const { id, relayKind: kind, toolCallId } = event;
    if (this.#relays.has(id) || this.#count(`relay/${id}`) > 0) return;
    const { runId, threadId } = this.#options;
    const parent = (toolCallId === undefined ? undefined : this.#contexts.get(toolCallId)) ?? this.span.context;
    const span = OpenSpan.inside(parent, {
      runId,
      part: `relay/${id}`,
      name: `relay ${kind}`,
      kind: 'internal',
      start,
    });
    span.set({
      'gen_ai.conversation.id': threadId,
      'singletree.relay.id': id,
      'singletree.relay.kind': kind,
      'singletree.relay.tool': 'tool' in event ? event.tool : undefined,
    });
    this.#relays.set(id, { span, tool: toolCallId === undefined ? undefined : this.#tools.get(toolCallId) });
  }

  #modelAttributes(model: string | undefined): Record<string, string | undefined> {
    const named = nameModel(model, this.#options.agentId);
    return { 'gen_ai.provider.name': named.provider, 'gen_ai.request.model': named.model };
  }

  /** Returns how many had this key before. */
  #count(key: string): number {
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + 1);
    return before;
  }
}

function usageAttributes(usage: UsageCounts): Record<string, number | undefined> {
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    'singletree.cost_usd': usage.cost,
  };
}

function toDefinition(tool: Readonly<Record<string, unknown>>): object {
  const { name, description, inputSchema: parameters } = tool;
  return { type: 'function', name, description, parameters };
}

function toTextPart(content: unknown): MessagePart {
  return { type: 'text', content: typeof content === 'string' ? content : JSON.stringify(content) };
}
