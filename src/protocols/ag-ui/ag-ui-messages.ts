import { defined } from '../../base/defined.ts';
import type { ContentPart } from '../../events/content.ts';
import type { ToolOutput } from '../../events/tools.ts';
import type { UserPart, ViewNode, ViewPart } from '../../projections/reading/view-node.ts';
import type { AgUiContentPart, AgUiMessage, AgUiMetadata, AgUiToolCall } from './ag-ui-event.ts';
import { getResult, showCall } from '../request/shown-call.ts';

/** Returns the id of a text, unique in its thread: agents may use an id again in another run. */
export function textMessageId(runId: string, id: string): string {
  return id.startsWith(`${runId}/`) ? id : `${runId}/${id}`;
}

/** Returns the id of reasoning, which may have the id of a text. */
export function reasoningMessageId(runId: string, id: string): string {
  return `${textMessageId(runId, id)}:reasoning`;
}

/** Returns the id of the message with the result of a call. */
export function resultMessageId(toolCallId: string): string {
  return `${toolCallId}:result`;
}

/** Returns the id of the message that shows the tasks of a run. */
export function tasksMessageId(runId: string): string {
  return `${runId}:tasks`;
}

/** Numbers the parts of a text that user messages interrupt, as the conversation does: `t`, `t#2`, `t#3`. */
export class TextParts {
  readonly #counts = new Map<string, number>();
  #open = new Set<string>();

  /** Returns the id of the part that a fragment of a text belongs to. */
  take(id: string): string {
    if (!this.#open.has(id)) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    this.#open.add(id);
    const count = this.#counts.get(id) ?? 1;
    return count === 1 ? id : `${id}#${count}`;
  }

  /** Ends the open parts; later fragments of their texts start new parts. */
  end(): void {
    this.#open = new Set();
  }
}

/** The text of a result, and whether the call failed or was denied. */
export interface ResultText {
  readonly content: string;
  readonly metadata?: AgUiMetadata;
}

/** Returns the result of a call as text. */
export function toResultText(output: ToolOutput): ResultText {
  if ('error' in output) return { content: output.error, metadata: { singletree: { status: 'failed' } } };
  if (!('context' in output)) return { content: output.reason, metadata: { singletree: { status: 'denied' } } };
  const result = getResult(output);
  return { content: typeof result === 'string' ? result : (JSON.stringify(result) ?? '') };
}

/** Returns the input of a call as the JSON of its arguments. */
export function toArguments(input: unknown): string {
  return JSON.stringify(input) ?? '{}';
}

/** Returns the visible messages of a thread as AG-UI messages, with the same ids as in the stream. */
export function agUiMessages(nodes: Iterable<ViewNode>): AgUiMessage[] {
  const messages = new MessageList();
  for (const node of nodes) messages.add(node);
  return messages.messages;
}

class MessageList {
  readonly #byId = new Map<string, AgUiMessage>();
  /** The text that calls after it belong to. */
  #text: string | undefined;

  get messages(): AgUiMessage[] {
    return [...this.#byId.values()];
  }

  add(node: ViewNode): void {
    const { id, role, text } = node;
    this.#text = undefined;
    if (role === 'summary' || role === 'system') this.#put({ id, role: 'system', content: text });
    else
      for (const part of node.partList)
        if (role === 'assistant') this.#addPart(part, node.runId ?? id);
        else if (part.kind === 'user') this.#addUser(part);
  }

  #addPart(part: ViewPart, runId: string): void {
    switch (part.kind) {
      case 'text':
        this.#text = textMessageId(runId, part.id);
        return this.#put({ id: this.#text, role: 'assistant', content: part.text });
      case 'reasoning':
        return this.#put({ id: reasoningMessageId(runId, part.id), role: 'reasoning', content: part.text });
      case 'user':
        return part.automatic === true ? undefined : this.#addUser(part);
      case 'tool':
      case 'repl':
        return this.#addCall(part);
      case 'run':
        return this.#addAgents(part.runs);
      case 'fact': {
        const { event } = part;
        if (event.type !== 'tasks') return;
        const { tasks } = event;
        const shown = { role: 'activity', activityType: 'PLAN', content: { tasks } } as const;
        return this.#put({ id: tasksMessageId(runId), ...shown });
      }
      case 'relay':
        return;
      default:
        part satisfies never;
    }
  }

  #addUser({ id, messageId = id, content }: UserPart): void {
    this.#put({ id: messageId, role: 'user', content: toContent(content) });
  }

  #addCall(part: Extract<ViewPart, { kind: 'tool' | 'repl' }>, subagentRunId?: string): void {
    const call = showCall(part);
    if (call === undefined) return;
    const { id, toolName, input, output } = call;
    const toolCall: AgUiToolCall = {
      id,
      type: 'function',
      function: { name: toolName, arguments: toArguments(input) },
    };
    const ofAgent = defined({ subagentRunId });
    const parent = subagentRunId === undefined && this.#text !== undefined ? this.#byId.get(this.#text) : undefined;
    if (parent?.role === 'assistant') this.#put({ ...parent, toolCalls: [...(parent.toolCalls ?? []), toolCall] });
    else this.#put({ id, role: 'assistant', toolCalls: [toolCall], ...ofAgent });
    this.#addAgents(call.runs);
    if (output === undefined) return;
    this.#put({ id: resultMessageId(id), role: 'tool', toolCallId: id, ...toResultText(output), ...ofAgent });
  }

  /** Shows the calls of subagents, as the stream does, and nothing of observers. */
  #addAgents(runs: readonly ViewNode[]): void {
    for (const run of runs.filter(({ memory }) => memory === undefined))
      for (const part of run.partList)
        if (part.kind === 'tool' || part.kind === 'repl') this.#addCall(part, run.runId ?? run.id);
        else if (part.kind === 'run') this.#addAgents(part.runs);
  }

  /** Adds a message, or replaces the message with the same id. */
  #put(message: AgUiMessage): void {
    this.#byId.set(message.id, message);
  }
}

function toContent(content: string | readonly ContentPart[]): string | AgUiContentPart[] {
  return typeof content === 'string' ? content : content.map(toContentPart);
}

function toContentPart(part: ContentPart): AgUiContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data: value, mediaType: mimeType } = part;
  const type = part.type === 'image' ? 'image' : 'document';
  return { type, source: { type: /^(https?|data):/.test(value) ? 'url' : 'data', value, mimeType } };
}
