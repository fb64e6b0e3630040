import type { RelayPart, ReplPart, ToolPart, ViewNode } from '../../projections/reading/view-node.ts';
import { agentOutcome, noResult } from '../request/fact.ts';
import { promptOf, resultOf, showCall, type ShownCall } from '../request/shown-call.ts';
import type { AiSdkVersion } from './chunk.ts';
import type { UiPart } from './ui-message.ts';
import { relayDataPart, relayDecision } from './ui-relay.ts';
import { defined } from '../../base/defined.ts';

/** What decides how a client shows a call. */
export interface ClientKind {
  readonly version: AiSdkVersion;
  readonly clientTools: readonly string[];
}

/** A call with what people were asked about it and the subagents it started; `agent` is the subagent that made it. */
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
  const shown = { ...kind, toolCallId, ...stateOf(call, asked, version), ...ofAgent };
  return [
    shown,
    ...others.map(relay => ({ ...relayDataPart(relay, toolCallId) })),
    ...call.runs.flatMap(run => agentParts(run, call, client)),
  ];
}

/**
 * A subagent as a data part, and the calls it made; its words are not words of the message. Nothing of an observer, as in
 * the stream.
 */
export function agentParts(run: ViewNode, cause: ShownCall | undefined, client: ClientKind): UiPart[] {
  const { status = 'complete', model } = run;
  if (run.memory !== undefined) return [];
  const prompt = promptOf(cause);
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
function stateOf({ id, input, output, isOpen }: ShownCall, asked: RelayPart | undefined, version: AiSdkVersion) {
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
  if ('context' in output) return { state: 'output-available', input, output: resultOf(output), ...approval };
  if ('error' in output) return { state: 'output-error', input, errorText: output.error, ...approval };
  if (version === 5) return { state: 'output-error', input, errorText: output.reason };
  const rejected = { id: asked?.relay.id ?? `${id}:rule`, approved: false };
  return { state: 'output-denied', input, approval: { ...rejected, reason: decision?.feedback ?? output.reason } };
}
