import type { RelayDecision } from '../request/decision.ts';
import type { FactOf } from '../request/fact.ts';
import type { OpenCall, OpenRelay } from '../request/open.ts';
import { getResult } from '../request/shown-call.ts';
import type { AiSdkChunk, AiSdkVersion } from './chunk.ts';
import { approvalPart } from './data-parts.ts';

/** Whether a part is dynamic: it is not of a tool that the client declares. */
interface PartKind {
  readonly dynamic?: true;
}

/** The state of a tool part while its call is open. */
interface ToolPart {
  /** The step of the message it is in: only there can a client replace its input. */
  readonly step: number;
  readonly kind: PartKind;
  /** The approval the part shows, and whether it was rejected. */
  approvalId?: string;
  rejected?: boolean;
}

const interrupted = 'It was not called: the model stopped while it wrote the input.';

/** The tool parts of one message: their input, approvals and output. */
export class ToolParts {
  readonly #version: AiSdkVersion;
  readonly #clientTools: readonly string[];
  readonly #open = new Map<string, ToolPart>();
  /** Calls whose input is being written. */
  readonly #streaming = new Map<string, PartKind>();
  #step = 0;

  constructor(version: AiSdkVersion, clientTools: readonly string[]) {
    this.#version = version;
    this.#clientTools = clientTools;
  }

  /** Whether a call of this step is open. */
  get waiting(): boolean {
    for (const { step } of this.#open.values()) if (step === this.#step) return true;
    return false;
  }

  /** Starts the next step. */
  nextStep(): void {
    this.#step++;
  }

  /** Drops the inputs that are still streaming; the client removes them too. */
  forgetInputs(): void {
    this.#streaming.clear();
  }

  /** Ends the parts whose input was never completed. */
  endInputs(): AiSdkChunk[] {
    const ended = [...this.#streaming].map(([toolCallId, kind]) => failed(toolCallId, kind, interrupted));
    this.#streaming.clear();
    return ended;
  }

  input({ key: toolCallId, toolName, delta }: FactOf<'input'>): AiSdkChunk[] {
    const written: AiSdkChunk = { type: 'tool-input-delta', toolCallId, inputTextDelta: delta };
    if (this.#streaming.has(toolCallId)) return [written];
    const kind = this.#getKind(toolName);
    this.#streaming.set(toolCallId, kind);
    return [{ type: 'tool-input-start', toolCallId, toolName, ...kind }, written];
  }

  call(call: OpenCall): AiSdkChunk[] {
    const kind = this.#streaming.get(call.key) ?? this.#getKind(call.toolName);
    this.#streaming.delete(call.key);
    this.#open.set(call.key, { step: this.#step, kind });
    return [inputAvailable(call, kind, call.input)];
  }

  result({ call: { key: toolCallId, toolName }, output }: FactOf<'result'>): AiSdkChunk[] {
    const part = this.#open.get(toolCallId);
    const kind = part?.kind ?? this.#getKind(toolName);
    this.#open.delete(toolCallId);
    if ('context' in output) return [{ type: 'tool-output-available', toolCallId, output: getResult(output), ...kind }];
    if ('error' in output) return [failed(toolCallId, kind, output.error)];
    if (this.#version === 5) return [failed(toolCallId, kind, output.reason)];
    return this.#denied(toolCallId, output.reason, part?.rejected === true);
  }

  asked(relay: OpenRelay): AiSdkChunk[] {
    const { id: approvalId, kind, target, payload } = relay;
    const part = this.#shownOn(relay);
    if (part === undefined || relay.call === undefined) return [approvalPart(relay)];
    part.approvalId = approvalId;
    part.rejected = false;
    const about = kind !== 'tool' && { approvalDescriptor: { kind, target, ...payload } };
    return [{ type: 'tool-approval-request', approvalId, toolCallId: relay.call.key, ...about }];
  }

  decided(relay: OpenRelay, decision: RelayDecision): AiSdkChunk[] {
    const { outcome, feedback } = decision;
    const part = this.#shownOn(relay);
    const revised = outcome === 'revise' ? this.#replaceInput(relay, decision.partial) : [];
    if (part === undefined) return [approvalPart(relay, decision), ...revised];
    // A later approval of the same call replaced this one.
    if (part.approvalId !== relay.id) return revised;
    part.rejected = outcome === 'reject';
    const reason = feedback !== undefined && { reason: feedback };
    if (this.#version === 7)
      return [
        { type: 'tool-approval-response', approvalId: relay.id, approved: !part.rejected, ...reason },
        ...revised,
      ];
    if (part.rejected) return [approvalPart(relay, decision)];
    return outcome === 'revise' ? revised : this.#replaceInput(relay, relay.call?.input);
  }

  /** The part that shows the approval itself; a question needs more than yes or no, and version 5 shows none. */
  #shownOn({ kind, call }: OpenRelay): ToolPart | undefined {
    if (this.#version === 5 || kind === 'question' || kind === 'suspension') return undefined;
    return call && this.#open.get(call.key);
  }

  /** Shows the call as running again, with this input; clients find only parts of the step they are in. */
  #replaceInput({ call }: OpenRelay, input: unknown): AiSdkChunk[] {
    const part = call && this.#open.get(call.key);
    return call !== undefined && part?.step === this.#step ? [inputAvailable(call, part.kind, input)] : [];
  }

  #denied(toolCallId: string, reason: string, isShown: boolean): AiSdkChunk[] {
    const denied: AiSdkChunk = { type: 'tool-output-denied', toolCallId };
    if (isShown) return [denied];
    const approvalId = `${toolCallId}:rule`;
    if (this.#version === 6)
      return [
        {
          type: 'data-approval',
          id: approvalId,
          data: { id: approvalId, kind: 'tool', target: toolCallId, status: 'rejected', feedback: reason },
        },
        denied,
      ];
    return [
      { type: 'tool-approval-request', approvalId, toolCallId, isAutomatic: true },
      { type: 'tool-approval-response', approvalId, approved: false, reason },
      denied,
    ];
  }

  #getKind(toolName: string): PartKind {
    return this.#clientTools.includes(toolName) ? {} : { dynamic: true };
  }
}

function inputAvailable({ key, toolName, run }: OpenCall, kind: PartKind, input: unknown): AiSdkChunk {
  const { runId, agentName, parent } = run;
  const ofAgent = parent !== undefined && { toolMetadata: { runId, agentName } };
  return { type: 'tool-input-available', toolCallId: key, toolName, input, ...kind, ...ofAgent };
}

function failed(toolCallId: string, kind: PartKind, errorText: string): AiSdkChunk {
  return { type: 'tool-output-error', toolCallId, errorText, ...kind };
}
