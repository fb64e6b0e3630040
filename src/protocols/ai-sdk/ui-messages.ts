import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { name } from '../../base/options/option-fields.ts';
import type { RelayPart, ReplPart, ToolPart, ViewNode, ViewPart } from '../../projections/reading/view-node.ts';
import { acceptable, type AiSdkVersion, aiSdkVersions } from './chunk.ts';
import { approvalPart, contentParts, customPart, userPart } from './data-parts.ts';
import { toDecision, type RelayDecision, relaySubject, undecided } from '../request/decision.ts';
import { agentOutcome, fileData, noResult } from '../request/fact.ts';
import { getPrompt, getResult, showCall, type ShownCall } from '../request/shown-call.ts';

/** One part of a UI message; which ones a client has depends on its version. */
export interface UiPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One message as clients of the AI SDK keep it. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly parts: readonly UiPart[];
}

/** Returns the decision about a relay; undefined while it is pending. */
export function relayDecision({ status, answer }: RelayPart): RelayDecision | undefined {
  if (answer !== undefined) return toDecision(answer);
  return status === 'pending' ? undefined : undecided('The run ended before anybody answered.');
}

/** A relay as a data part. */
export function relayDataPart(part: RelayPart, callId?: string): ReturnType<typeof approvalPart> {
  return approvalPart({ id: part.relay.id, ...relaySubject(part.relay, callId) }, relayDecision(part));
}

/** The client settings that determine how a call is shown. */
export interface ClientKind {
  readonly version: AiSdkVersion;
  readonly clientTools: readonly string[];
}

/** Returns the parts of a call, its relays and the subagents it started; `agent` is the subagent that made it. */
export function toolParts(part: ToolPart | ReplPart, client: ClientKind, agent?: ViewNode): UiPart[] {
  const { version, clientTools } = client;
  const call = showCall(part);
  if (call === undefined) return [];
  const isShown = ({ relay: { relayKind } }: RelayPart) =>
    version > 5 && relayKind !== 'question' && relayKind !== 'suspension';
  const asked = call.relays.findLast(isShown);
  const others = call.relays.filter(relay => !isShown(relay));
  const { id: toolCallId, toolName } = call;
  const ofAgent = agent !== undefined && version > 5 && { toolMetadata: agentIn(agent) };
  const kind = clientTools.includes(toolName) ? { type: `tool-${toolName}` } : { type: 'dynamic-tool', toolName };
  const shown = { ...kind, toolCallId, ...getState(call, asked, version), ...ofAgent };
  return [
    shown,
    ...others.map(relay => ({ ...relayDataPart(relay, toolCallId) })),
    ...call.runs.flatMap(run => agentParts(run, call, client)),
  ];
}

/**
 * Returns a subagent as a data part, and its calls; its text is not part of the message. Observers are omitted, as in
 * the stream.
 */
export function agentParts(run: ViewNode, cause: ShownCall | undefined, client: ClientKind): UiPart[] {
  const { status = 'complete', model } = run;
  if (run.memory !== undefined) return [];
  const prompt = getPrompt(cause);
  const parts = [...run.partList];
  const error = parts.findLast(part => part.kind === 'fact' && part.event.type === 'error');
  const words = parts.slice(parts.findLastIndex(({ kind }) => kind === 'tool' || kind === 'repl') + 1);
  const outcome = agentOutcome(status === 'running' ? 'aborted' : status, {
    words: words.map(part => (part.kind === 'text' ? part.text : '')).join(''),
    message: error?.kind === 'fact' && error.event.type === 'error' ? error.event.message : undefined,
  });
  const data = {
    ...agentIn(run),
    ...(cause !== undefined && { toolCallId: cause.id }),
    ...defined({ prompt }),
    status: 'text' in outcome ? 'completed' : 'failed',
    ...outcome,
    ...defined({ model }),
  };
  const inner = parts.flatMap(part => {
    if (part.kind === 'tool' || part.kind === 'repl') return toolParts(part, client, run);
    return part.kind === 'run' ? part.runs.flatMap(each => agentParts(each, undefined, client)) : [];
  });
  return [{ type: 'data-agent', id: data.runId, data }, ...inner];
}

function agentIn({ id, runId = id, agentId: agentName = runId }: ViewNode): { runId: string; agentName: string } {
  return { runId, agentName };
}

/** The state of a tool part with its fields. */
function getState({ id, input, output, isOpen }: ShownCall, asked: RelayPart | undefined, version: AiSdkVersion) {
  const decision = asked && relayDecision(asked);
  const approved = version === 7 && asked !== undefined && decision !== undefined && decision.outcome !== 'reject';
  const approval = approved ? { approval: { id: asked.relay.id, approved: true } } : {};
  if (output === undefined) {
    if (!isOpen) return { state: 'output-error', input, errorText: noResult, ...approval };
    const isAsked = asked !== undefined && decision === undefined;
    return isAsked
      ? { state: 'approval-requested', input, approval: { id: asked.relay.id } }
      : { state: 'input-available', input };
  }
  if ('context' in output) return { state: 'output-available', input, output: getResult(output), ...approval };
  if ('error' in output) return { state: 'output-error', input, errorText: output.error, ...approval };
  if (version === 5) return { state: 'output-error', input, errorText: output.reason };
  const rejected = { id: asked?.relay.id ?? `${id}:rule`, approved: false };
  return { state: 'output-denied', input, approval: { ...rejected, reason: decision?.feedback ?? output.reason } };
}

export interface UiMessagesOptions {
  /** The version of the client; the newest when absent. */
  readonly version?: AiSdkVersion | undefined;
  /** The tools that the client declares: their calls are parts of the type `tool-<name>`; others are `dynamic-tool` parts. */
  readonly clientTools?: readonly string[] | undefined;
  readonly threadId?: string | undefined;
}

const checkOptions = optionsCheck<UiMessagesOptions>('uiMessages')(() => ({
  version: z.literal(aiSdkVersions).optional(),
  clientTools: z.array(name()).optional(),
  threadId: name().optional(),
}));

/**
 * Returns the visible messages of a thread as messages of an AI SDK client: the initial messages of a chat. Omits an
 * answer that is still running, because the stream delivers it from its start, and messages without parts, because
 * clients reject them.
 */
export function uiMessages(nodes: Iterable<ViewNode>, options: UiMessagesOptions = {}): UiMessage[] {
  checkOptions(options);
  const { version = 7, clientTools = [], threadId } = options;
  const client: ClientKind = { version, clientTools };
  const messages: UiMessage[] = [];
  for (const node of nodes) {
    if (node.status === 'running') continue;
    const parts = newestData(buildParts(node, client)).map(acceptable);
    if (parts.length === 0) continue;
    const { runId = node.id, agentId: agentName = runId } = node;
    const metadata = { runId, agentName, ...defined({ threadId }) };
    if (node.role === 'assistant') messages.push({ id: runId, role: 'assistant', metadata, parts });
    else messages.push({ id: node.id, role: node.role === 'user' ? 'user' : 'system', parts });
  }
  return messages;
}

/** Keeps the newest of the data parts with the same type and id, at the position of the first, as a client does. */
function newestData(parts: readonly UiPart[]): UiPart[] {
  const byKey = new Map<unknown, UiPart>();
  for (const part of parts) {
    const { type, id } = part;
    byKey.set(type.startsWith('data-') && typeof id === 'string' ? `${type} ${id}` : part, part);
  }
  return [...byKey.values()];
}

function buildParts(node: ViewNode, client: ClientKind): UiPart[] {
  if (node.role === 'summary') return [{ type: 'text', text: node.text }];
  if (node.role === 'assistant') return [...node.partList].flatMap(part => assistantParts(part, node, client));
  return [...node.partList].flatMap(part => (part.kind === 'user' ? contentParts(part.content).map(asPart) : []));
}

function assistantParts(part: ViewPart, node: ViewNode, client: ClientKind): UiPart[] {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      return [{ type: part.kind, text: part.text, state: 'done' }];
    case 'user':
      return part.automatic !== true ? [asPart(userPart(client.version, part.id, part.content))] : [];
    case 'relay':
      return [asPart(relayDataPart(part))];
    case 'tool':
    case 'repl':
      return toolParts(part, client);
    case 'run':
      return part.runs.flatMap(run => agentParts(run, undefined, client));
    case 'fact':
      return factParts(part.event, node);
    default:
      return part satisfies never;
  }
}

/** Returns the parts for other events that the stream keeps; an error only when the run ended with it. */
function factParts(event: Extract<ViewPart, { kind: 'fact' }>['event'], node: ViewNode): UiPart[] {
  switch (event.type) {
    case 'file_registered':
      return [{ type: 'data-file-registered', id: event.id, data: fileData(event) }];
    case 'tasks':
      return [{ type: 'data-tasks', id: 'tasks', data: { tasks: event.tasks } }];
    case 'plan_status':
      return [{ type: 'data-plan', id: event.planId, data: { planId: event.planId, status: event.to } }];
    case 'custom':
      return [asPart(customPart(event.name, event.data))];
    case 'error': {
      const { message, code = 'agent_failed' } = event;
      return node.status === 'error' ? [{ type: 'data-error', data: { message, code } }] : [];
    }
    default:
      return [];
  }
}

function asPart(part: { readonly type: string }): UiPart {
  return { ...part };
}
