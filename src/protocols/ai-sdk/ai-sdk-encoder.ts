import * as z from 'zod';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { name } from '../../base/options/option-fields.ts';
import type { Encoder } from '../encoder.ts';
import { costSummary, type Currency } from '../request/totals.ts';
import { type Fact, type FactHandlers, type FactOf, toFinishReason, handleFact } from '../request/fact.ts';
import type { OpenRun } from '../request/open.ts';
import { getPrompt } from '../request/shown-call.ts';
import { requestFields, RequestFold, type RequestOptions } from '../request/request-fold.ts';
import { acceptable, type AiSdkChunk, type AiSdkVersion, aiSdkVersions } from './chunk.ts';
import { customPart, userPart } from './data-parts.ts';
import { ToolParts } from './tool-parts.ts';
import { defined } from '../../base/defined.ts';

export interface AiSdkOptions extends RequestOptions {
  /** The version of the client; the newest when absent. */
  readonly version?: AiSdkVersion | undefined;
  /** The tools that the client declares: their calls are parts of the type `tool-<name>`; others are `dynamic-tool` parts. */
  readonly clientTools?: readonly string[] | undefined;
  readonly threadId?: string | undefined;
  /** The id of the message; that of the root run when absent. */
  readonly messageId?: string | undefined;
  /** The currency of the cost summary; US dollars when absent. */
  readonly currency?: Currency | undefined;
}

const checkOptions = optionsCheck<AiSdkOptions>('aiSdkEncoder')(() => ({
  ...requestFields(),
  version: z.literal(aiSdkVersions).optional(),
  clientTools: z.array(name()).optional(),
  messageId: name().optional(),
}));

/** Encodes one request, the root run and everything it caused, as one message of the AI SDK UI message stream. */
export function aiSdkEncoder(options: AiSdkOptions = {}): Encoder<AiSdkChunk> {
  checkOptions(options);
  const { runId, priceOf } = options;
  const fold = new RequestFold({ runId, priceOf });
  const message = new MessageStream(options);
  return {
    encode: (event: AgentEvent) => message.encode(fold.take(event)),
    end: () => message.encode(fold.end()),
  };
}

class MessageStream {
  readonly #options: AiSdkOptions;
  readonly #version: AiSdkVersion;
  readonly #tools: ToolParts;
  /** The text or reasoning that is being written. */
  #words: { readonly type: 'text' | 'reasoning'; readonly id: string } | undefined;
  #inStep = false;
  /** Whether the step holds only words and calls that never ran, so that a client may drop them. */
  #tentative = true;

  constructor(options: AiSdkOptions) {
    this.#options = options;
    this.#version = options.version ?? 7;
    this.#tools = new ToolParts(this.#version, options.clientTools ?? []);
  }

  encode(facts: readonly Fact[]): AiSdkChunk[] {
    return facts.flatMap(fact => handleFact(this.#on, fact)).map(acceptable);
  }

  readonly #on: FactHandlers<AiSdkChunk[]> = {
    started: ({ run: { runId, agentName } }) => {
      const { threadId, messageId = runId } = this.#options;
      const messageMetadata = { runId, agentName, ...defined({ threadId }) };
      return [{ type: 'start', messageId, messageMetadata }];
    },
    step: ({ attempt }) => this.#beginStep(attempt),
    text: fact => this.#write(fact),
    reasoning: fact => this.#write(fact),
    input: fact => [...this.#endWords(), ...this.#tools.input(fact)],
    call: ({ call }) => {
      if (call.run.parent === undefined) return [...this.#endWords(), ...this.#tools.call(call)];
      return this.#keep(this.#tools.call(call));
    },
    progress: ({ call: { key, toolName }, progress }) =>
      this.#keep([{ type: 'data-tool-progress', id: key, data: { toolCallId: key, toolName, ...progress } }]),
    result: fact => {
      const chunks = this.#tools.result(fact);
      return fact.abandoned === true ? chunks : this.#keep(chunks);
    },
    asked: ({ relay }) => this.#keep(this.#tools.asked(relay)),
    decided: ({ relay, decision }) => this.#keep(this.#tools.decided(relay, decision)),
    'agent-started': ({ agent }) => this.#keep([agentPart(agent, { status: 'running' })]),
    'agent-ended': ({ agent, outcome, usage }) => {
      const status = 'text' in outcome ? 'completed' : 'failed';
      const model = agent.model !== undefined && { model: agent.model };
      return this.#keep([agentPart(agent, { status, ...outcome, ...model, usage })]);
    },
    plan: ({ change: { planId, to } }) => this.#keep([{ type: 'data-plan', id: planId, data: { planId, status: to } }]),
    file: ({ file }) => this.#keep([{ type: 'data-file-registered', id: file.id, data: file }]),
    custom: ({ name, data }) => this.#keep([customPart(name, data)]),
    tasks: ({ tasks }) => this.#keep([{ type: 'data-tasks', id: 'tasks', data: { tasks } }]),
    warning: ({ warning }) => [{ type: 'data-warning', data: warning, transient: true }],
    user_message: ({ id, content }) => this.#keep([...this.#endWords(), userPart(this.#version, id, content)]),
    ended: fact => this.#end(fact),
  };

  /** Marks the step as permanent: these chunks stay in the message even when the step is retried. */
  #keep(chunks: AiSdkChunk[]): AiSdkChunk[] {
    this.#tentative = false;
    return chunks;
  }

  #beginStep(attempt: number): AiSdkChunk[] {
    if (attempt > 1 && this.#version === 7 && this.#tentative && !this.#tools.waiting) {
      this.#words = undefined;
      this.#tools.forgetInputs();
      return [{ type: 'reset-step' }];
    }
    const ended = this.#endStep();
    this.#inStep = true;
    this.#tentative = true;
    this.#tools.nextStep();
    return [...ended, { type: 'start-step' }];
  }

  #endStep(): AiSdkChunk[] {
    const open = [...this.#endWords(), ...this.#tools.endInputs()];
    return this.#inStep ? [...open, { type: 'finish-step' }] : open;
  }

  #write({ type, id, text }: FactOf<'text' | 'reasoning'>): AiSdkChunk[] {
    const delta: AiSdkChunk = { type: `${type}-delta`, id, delta: text };
    if (this.#words?.type === type && this.#words.id === id) return [delta];
    const ended = this.#endWords();
    this.#words = { type, id };
    return [...ended, { type: `${type}-start`, id }, delta];
  }

  #endWords(): AiSdkChunk[] {
    const words = this.#words;
    this.#words = undefined;
    return words === undefined ? [] : [{ type: `${words.type}-end`, id: words.id }];
  }

  #end({ outcome, totals }: FactOf<'ended'>): AiSdkChunk[] {
    const { usage, latency } = totals;
    const before: AiSdkChunk[] = [
      ...this.#endStep(),
      { type: 'data-cost-summary', data: costSummary(totals, this.#options.currency) },
      { type: 'data-latency-summary', data: latency },
    ];
    if (outcome.reason === 'error') {
      const { message, code } = outcome;
      return [...before, { type: 'data-error', data: { message, code } }, { type: 'error', errorText: message }];
    }
    const reason = toFinishReason(outcome);
    const messageMetadata = { usage };
    if (reason === 'aborted')
      return [
        ...before,
        { type: 'message-metadata', messageMetadata },
        { type: 'abort', reason: 'The run was stopped.' },
      ];
    const known = reason !== 'timeout' && (reason !== 'interrupted' || this.#version === 7);
    return [...before, { type: 'finish', finishReason: known ? reason : 'other', messageMetadata }];
  }
}

/** A subagent as one data part that is replaced when it ends. */
function agentPart(agent: OpenRun, standing: Readonly<Record<string, unknown>>): AiSdkChunk {
  const { runId, agentName, cause } = agent;
  const prompt = getPrompt(cause);
  const called = cause !== undefined && { toolCallId: cause.key };
  const data = { runId, agentName, ...called, ...defined({ prompt }), ...standing };
  return { type: 'data-agent', id: runId, data };
}
