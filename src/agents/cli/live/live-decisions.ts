import { defined } from '../../../base/defined.ts';
import type { EventOf } from '../../../events/vocabulary.ts';
import type { RelayState } from '../../../projections/run-state.ts';
import { type Asking, askPerson, type PersonAnswer } from '../../ask-person.ts';
import { Approvals } from '../../loop/approvals.ts';
import type { DecisionSource } from '../../contract/permissions.ts';
import { workspace, type WorkspaceFolder } from '../../workspace/workspace-folder.ts';
import type { LiveAbilities, LiveAnswer, LiveRequest } from '../contract/live-channel.ts';
import { cliToolRequest, plainRequest } from './cli-request.ts';
import { previewChange } from './preview-change.ts';
import { notRun } from './resumed-run.ts';

export interface LiveDecisionsOptions extends Omit<Asking, 'onRelay'> {
  readonly agentId: string;
  readonly cwd: string;
  readonly rules: readonly DecisionSource[];
  /** The users' earlier decisions in the thread. */
  readonly decided: readonly RelayState[];
  /** Approvals of calls that did not run because the process ended: they count for the same call again, once. */
  readonly unused: readonly RelayState[];
}

/** A decision on a request. */
export interface LiveDecision {
  readonly answer: LiveAnswer;
  /** Whether a user decided, as opposed to a rule. */
  readonly byPerson: boolean;
}

type Permission = Extract<LiveRequest, { kind: 'permission' }>;
type Question = Extract<LiveRequest, { kind: 'question' }>;
type Plan = Extract<LiveRequest, { kind: 'plan' }>;
type Check = Extract<LiveRequest, { kind: 'check' }>;

/** A note to the model about a decision, sent into the turn or with the next prompt. */
interface DecisionNote {
  readonly text: string;
  readonly way: 'steer' | 'next_prompt';
}

/** The outcome of a request. */
export interface SettledRequest {
  readonly answer: LiveAnswer;
  readonly note?: DecisionNote | undefined;
  /** Why nothing could be decided: the call does not run. */
  readonly error?: unknown;
}

const nobody = 'Nobody can be asked.';
/** The number of times that a run continues after a rule, not a user, rejected a call. */
const mostRuleNotes = 10;

/**
 * The open requests of an external agent: each is decided on its own, by the same rules and grants as those on our own
 * tools, or by a user.
 */
export class LiveDecisions {
  readonly #options: LiveDecisionsOptions;
  readonly #approvals: Approvals;
  readonly #open = new Map<string, AbortController>();
  #ruleNotes = 0;
  readonly #unused: RelayState[];
  /** The relays of the open requests, by request id. */
  readonly #relays = new Map<string, EventOf<'relay'>>();
  #folder: WorkspaceFolder | undefined;

  constructor(options: LiveDecisionsOptions) {
    this.#options = options;
    this.#unused = [...options.unused];
    this.#approvals = new Approvals({
      rules: options.rules,
      answers: options.answers,
      signal: options.signal,
      put: options.put,
      requestOf: ({ tool, category, command, params }, input) =>
        plainRequest(options.agentId, { tool, input: params, ...defined({ category, command }) }, input),
    });
    this.#approvals.remember(options.decided);
  }

  /** Whether a request waits for its decision. */
  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  /**
   * Decides on a request and emits the start of a call that was approved. Returns undefined when the request was
   * withdrawn or the run was stopped; never rejects.
   */
  async settle(request: LiveRequest, abilities: LiveAbilities): Promise<SettledRequest | undefined> {
    const stop = new AbortController();
    this.#open.set(request.id, stop);
    const signal = AbortSignal.any([stop.signal, this.#options.signal]);
    try {
      const decision = await this.decide(request, signal);
      signal.throwIfAborted();
      if (decision.answer.outcome === 'approve' && request.kind === 'permission') {
        const { runId, toolCallId: id, tool: name } = request;
        await this.#options.put({ type: 'tool_start', runId, id, name });
        signal.throwIfAborted();
      }
      return { answer: decision.answer, note: this.#noteOn(request, decision, abilities) };
    } catch (error) {
      return signal.aborted ? undefined : { answer: { outcome: 'cancelled', feedback: notRun }, error };
    } finally {
      this.#open.delete(request.id);
    }
  }

  /** Stops all decisions; later requests get no answer. */
  abort(): void {
    for (const request of this.#open.values()) request.abort();
  }

  /** Returns the decision on a request; rejects when the signal aborts. */
  async decide(request: LiveRequest, signal: AbortSignal): Promise<LiveDecision> {
    try {
      if (request.kind === 'permission') return await this.#permission(request, signal);
      if (request.kind === 'check') return await this.#check(request);
      return await (request.kind === 'question' ? this.#question(request, signal) : this.#plan(request, signal));
    } finally {
      if (!signal.aborted) this.#relays.delete(request.id);
    }
  }

  /** Closes a request that the program no longer waits for, with its relay. */
  async withdraw(requestId: string, reason: string): Promise<void> {
    this.#open.get(requestId)?.abort();
    const relay = this.#relays.get(requestId);
    if (relay === undefined) return;
    this.#relays.delete(requestId);
    const { answers, put } = this.#options;
    const { id: relayId, runId } = relay;
    if (answers?.cancel !== undefined) await answers.cancel(relay, reason);
    else await put({ type: 'relay_resolved', runId, relayId, outcome: 'cancelled', feedback: reason });
  }

  /** A reason or a revised input that the answer itself cannot carry becomes a note. */
  #noteOn(
    request: LiveRequest,
    { answer, byPerson }: LiveDecision,
    abilities: LiveAbilities,
  ): DecisionNote | undefined {
    if (answer.outcome === 'approve' && answer.input !== undefined && request.kind === 'permission') {
      const text = `The user changed your call of ${request.tool} before it ran. It ran with this input instead: ${JSON.stringify(answer.input)}`;
      return { text, way: abilities.steer === 'joins' ? 'steer' : 'next_prompt' };
    }
    if (answer.outcome !== 'reject' || answer.feedback === undefined || abilities.reason === 'answer') return undefined;
    const isRead =
      byPerson || abilities.reason === 'steer' || (abilities.rejectEndsTurn && this.#ruleNotes++ < mostRuleNotes);
    return isRead ? { text: describeRejection(request, answer.feedback), way: abilities.reason } : undefined;
  }

  /** Applies existing rules to calls that the program would run unasked, but not the default, which always asks. */
  async #check(request: Check): Promise<LiveDecision> {
    const resolved = await cliToolRequest(request, request.input, this.#place);
    const { policy, reason, rule, by } = this.#approvals.review(resolved);
    const feedback = reason ?? 'It is not allowed.';
    if (policy === 'deny') return { answer: { outcome: 'reject', feedback }, byPerson: false };
    const isAsked = policy === 'ask' && (rule !== undefined || by !== 'rules');
    return { answer: isAsked ? { outcome: 'ask', feedback } : { outcome: 'approve' }, byPerson: false };
  }

  get #place(): { readonly agentId: string; readonly folder: WorkspaceFolder } {
    const { agentId, cwd } = this.#options;
    this.#folder ??= workspace(cwd, { outside: 'ask' });
    return { agentId, folder: this.#folder };
  }

  async #permission(request: Permission, signal: AbortSignal): Promise<LiveDecision> {
    const place = this.#place;
    const { command, diff, reason, canRevise, toolCallId: id, tool: name, input, runId } = request;
    const before = this.#takeUnused(request);
    const state = {
      call: { type: 'tool_call' as const, runId, id, name, input },
      started: false,
      done: false,
      ...(before && { relayId: before.relay.id }),
    };
    const permit = await this.#approvals.permit(
      {
        state,
        requestFor: given => cliToolRequest(request, given, place),
        about: {
          ...defined({ command, diff, reason }),
          answers: canRevise ? ['approve', 'reject', 'revise'] : ['approve', 'reject'],
        },
        preview: async () => {
          const { agentId } = this.#options;
          return defined({ diff: diff ?? (await previewChange({ agentId, name, input }, place.folder)) });
        },
        approvalGrantsAccess: true,
        signal,
        onRelay: relay => this.#relays.set(request.id, relay),
      },
      new Map(before && [[before.relay.id, before]]),
    );
    const byPerson = permit.answer !== undefined;
    if ('denied' in permit) return { answer: { outcome: 'reject', feedback: permit.denied }, byPerson };
    if (permit.input === input) return { answer: { outcome: 'approve' }, byPerson };
    if (!canRevise || !isRecord(permit.input))
      return { answer: { outcome: 'reject', feedback: 'Its input cannot be replaced.' }, byPerson };
    return { answer: { outcome: 'approve', input: permit.input }, byPerson };
  }

  async #question(request: Question, signal: AbortSignal): Promise<LiveDecision> {
    const { runId, toolCallId, question, options, selectionMode } = request;
    const given = await this.#ask(request.id, signal, id => ({
      type: 'relay',
      runId,
      id,
      relayKind: 'question',
      question,
      answers: ['answer', 'reject'],
      ...defined({ toolCallId, selectionMode }),
      ...(options && { options: options.map(option => ({ ...option })) }),
    }));
    if (given?.outcome === 'answer')
      return { answer: { outcome: 'answer', answer: given.answer ?? '' }, byPerson: true };
    return { answer: { outcome: 'reject', feedback: refusal(given) }, byPerson: given !== undefined };
  }

  async #plan(request: Plan, signal: AbortSignal): Promise<LiveDecision> {
    const { id, runId, toolCallId, title, plan } = request;
    const given = await this.#ask(request.id, signal, relayId => ({
      type: 'relay',
      runId,
      id: relayId,
      relayKind: 'plan',
      planId: toolCallId ?? id,
      plan,
      answers: ['approve', 'reject'],
      ...defined({ toolCallId, title }),
    }));
    const feedback = given?.feedback;
    if (given?.outcome === 'approve')
      return { answer: { outcome: 'approve', ...defined({ feedback }) }, byPerson: true };
    return { answer: { outcome: 'reject', feedback: refusal(given) }, byPerson: given !== undefined };
  }

  #ask(
    requestId: string,
    signal: AbortSignal,
    toRelay: (id: string) => EventOf<'relay'>,
  ): Promise<PersonAnswer | undefined> {
    const { answers, put } = this.#options;
    return askPerson({ answers, put, signal, onRelay: relay => this.#relays.set(requestId, relay) }, toRelay);
  }

  #takeUnused({ tool, input }: Permission): RelayState | undefined {
    const same = JSON.stringify([tool, input]);
    const index = this.#unused.findIndex(
      ({ relay }) => relay.relayKind === 'permission' && JSON.stringify([relay.tool, relay.params]) === same,
    );
    return index < 0 ? undefined : this.#unused.splice(index, 1)[0];
  }
}

function describeRejection(request: LiveRequest, feedback: string): string {
  if (request.kind === 'plan') return `Your plan was not approved. ${feedback}`;
  if (request.kind === 'question') return `Your question was declined. ${feedback}`;
  const call = request.command ?? JSON.stringify(request.input);
  const shown = call.length > 300 ? `${call.slice(0, 300)}…` : call;
  return `Your call of ${request.tool} ${shown} was rejected and did not run. ${feedback}`;
}

function refusal(answer: PersonAnswer | undefined): string {
  if (answer === undefined) return nobody;
  if (answer.outcome === 'expired') return 'Nobody answered in time.';
  return answer.feedback ?? 'The user declined.';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
