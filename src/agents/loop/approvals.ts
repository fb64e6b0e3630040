import { defined } from '../../base/defined.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import type { CallState, RelayState } from '../../projections/run-state.ts';
import { type Asking, askPerson, type PersonAnswer } from '../ask-person.ts';
import { decideAll, isReview } from '../permissions/decide.ts';
import type { Decision, DecisionSource, Grant, ToolRequest, PathAccess } from '../contract/permissions.ts';
import { grantCovers, grantFor } from '../permissions/grants.ts';
import { AccessRequests, neededAccess } from './access-requests.ts';
import { checkInput } from '../tool-definition/define-tool.ts';
import type { CallPreview } from '../contract/tool-values.ts';
import type { Tool, ToolCall } from '../contract/agent.ts';

type PermissionRelay = Extract<EventOf<'relay'>, { relayKind: 'permission' }>;

/** A call that needs a decision, executed here or elsewhere. */
export interface ApprovableCall {
  readonly state: CallState;
  /** The request of the call with an input, which may be a revised one; its paths are resolved. */
  readonly requestFor: (input: unknown) => Promise<ToolRequest> | ToolRequest;
  /** Whether a user is asked even when the rules allow the call. */
  readonly needsApproval?: () => boolean | Promise<boolean>;
  /** The details that a user sees in addition to the arguments of the call, and the possible answers. */
  readonly about?: Pick<PermissionRelay, 'command' | 'diff' | 'reason' | 'answers'>;
  /** Returns the change that the call would make, for the user who is asked; the call fails when it rejects. */
  readonly preview?: (() => Promise<CallPreview>) | undefined;
  /** Whether an approval of the call also grants its paths outside the workspace. */
  readonly approvalGrantsAccess?: boolean;
  /** Ends the waiting for an answer before the run ends. */
  readonly signal?: AbortSignal;
  /** Called with each relay about the call that is emitted. */
  readonly onRelay?: Asking['onRelay'];
}

export interface ApprovalsOptions extends Omit<Asking, 'onRelay'> {
  /** The request that an earlier relay was about; undefined when its tool is unknown. */
  readonly requestOf: (relay: PermissionRelay, input: unknown) => ToolRequest | undefined;
  /** The sources of decisions; the strictest decision wins. */
  readonly rules: readonly DecisionSource[];
}

/** Whether a call may run, its input, the resolved paths that the decision was made on, and access outside the workspace. */
export type Permit =
  | {
      readonly input: unknown;
      readonly request?: ToolRequest;
      readonly access?: readonly PathAccess[];
      /** The answer of the user. */
      readonly answer?: PersonAnswer;
    }
  | { readonly denied: string; readonly by?: 'rules'; readonly answer?: PersonAnswer };

/** Decides on tool calls by rules, earlier grants and, if needed, by asking a user. */
export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #grants: Grant[] = [];
  readonly #access: AccessRequests;

  constructor(options: ApprovalsOptions) {
    this.#options = options;
    this.#access = new AccessRequests(options);
  }

  /** Restores earlier grants from the answers in the log. */
  remember(relays: Iterable<RelayState>): void {
    const all = [...relays];
    this.#access.remember(all);
    for (const { relay, answer } of all) {
      if (relay.relayKind !== 'permission' || answer === undefined) continue;
      const request = this.#options.requestOf(relay, selectInput(relay.params, answer));
      if (request !== undefined) this.#grant(request, answer);
    }
  }

  /**
   * Returns the decision on a call. An earlier answer of a user about this call takes precedence over later grants; a
   * denying rule takes precedence over the answer. A call that had already started keeps its permission: no rule is
   * evaluated again. A permitted call that names a path outside its workspace also needs a grant of access to it.
   */
  async permit(asked: ApprovableCall, relays: ReadonlyMap<string, RelayState>): Promise<Permit> {
    const permit = await this.#decide(asked, relays);
    if ('denied' in permit || permit.request === undefined) return permit;
    const { state, signal, onRelay } = asked;
    if (asked.approvalGrantsAccess === true && permit.answer !== undefined) return permit;
    const access = await this.#access.permit({
      call: state.call,
      request: permit.request,
      relays,
      ...defined({ signal, onRelay }),
    });
    return 'denied' in access ? access : { ...permit, ...access };
  }

  async #decide(asked: ApprovableCall, relays: ReadonlyMap<string, RelayState>): Promise<Permit> {
    const { rules } = this.#options;
    const { state, requestFor } = asked;
    const { call, relayId } = state;
    const before = relayId === undefined ? undefined : relays.get(relayId)?.answer;
    if (state.started) return { input: before === undefined ? call.input : selectInput(call.input, before) };
    const request = await requestFor(call.input);
    const decision = decideAll(rules, this.#grants, request);
    if (decision.policy === 'deny') return deniedBy(decision);
    const isAsked = asked.needsApproval !== undefined && (await this.#needsApproval(asked.needsApproval, request));
    if (decision.policy === 'allow' && relayId === undefined && !isAsked) return { input: call.input, request };
    const answer = before ?? (await this.#ask(asked, { request, decision }));
    if (answer === undefined) {
      const reason = isAsked ? `${request.tool} needs approval` : (decision.reason ?? 'It needs approval');
      return { denied: `${reason}, and nobody can be asked.` };
    }
    if (answer.outcome !== 'approve' && answer.outcome !== 'revise') return { denied: refusal(answer), answer };
    const input = selectInput(call.input, answer);
    const agreed = await requestFor(input);
    const revised = decideAll(rules, [], agreed);
    if (revised.policy === 'deny') return deniedBy(revised);
    this.#grant(agreed, answer);
    return { input, request: agreed, answer };
  }

  /** Returns the decision of rules and grants on a request without asking a user. */
  review(request: ToolRequest): Decision {
    return decideAll(this.#options.rules, this.#grants, request);
  }

  /** Returns whether a path rule would deny or ask about the request if one of its arguments were this path. */
  guardFor(request: ToolRequest): ToolCall['isGuarded'] | undefined {
    const { rules } = this.#options;
    const dependsOnPaths = (source: DecisionSource) =>
      typeof source === 'function' || (!isReview(source) && source.rules.some(({ input }) => input !== undefined));
    if (!rules.some(dependsOnPaths)) return undefined;
    return (argument, path) => {
      const { policy, rule } = decideAll(rules, [], { ...request, paths: { ...request.paths, [argument]: [path] } });
      return policy === 'deny' || (policy === 'ask' && rule?.input !== undefined);
    };
  }

  /** Whether the tool itself requires an answer for a call that no grant covers. */
  async #needsApproval(
    needsApproval: NonNullable<ApprovableCall['needsApproval']>,
    request: ToolRequest,
  ): Promise<boolean> {
    if (this.#grants.some(grant => grantCovers(grant, request))) return false;
    return needsApproval();
  }

  /** Returns the answer of a user; undefined when no user can answer relays. */
  async #ask(
    { state, about, preview, signal = this.#options.signal, onRelay }: ApprovableCall,
    { request, decision }: { readonly request: ToolRequest; readonly decision: Decision },
  ): Promise<PersonAnswer | undefined> {
    const { call, relayId } = state;
    const { tool, category } = request;
    const toRelay = async (id: string): Promise<PermissionRelay> => {
      // Do not read files that are guarded by a path rule or are outside the workspace before a user approves.
      const isReadable = decision.rule?.input === undefined && !decision.doubted && neededAccess(request).length === 0;
      const shown = isReadable ? await preview?.() : undefined;
      return {
        type: 'relay',
        runId: call.runId,
        id,
        relayKind: 'permission',
        toolCallId: call.id,
        tool,
        ...defined({ category }),
        ...(decision.doubted !== undefined && { personOnly: true }),
        params: asRecord(call.input),
        ...about,
        ...shown,
      };
    };
    const before = relayId === undefined ? undefined : { relay: { id: relayId } };
    return askPerson({ ...this.#options, signal, onRelay }, toRelay, before);
  }

  #grant(request: ToolRequest, { outcome, remember = 'once' }: PersonAnswer): void {
    if (outcome !== 'approve' && outcome !== 'revise') return;
    const granted = grantFor(request, remember);
    if (granted !== undefined) this.#grants.push(granted);
  }
}

function deniedBy({ reason = 'It is not allowed.', by }: Decision): Permit {
  return { denied: reason, ...defined({ by }) };
}

/** Returns the approved input: that of the call, or the revised one. */
function selectInput(asked: unknown, { outcome, input }: PersonAnswer): unknown {
  return outcome === 'revise' ? input : asked;
}

/** Returns the permission request of a call, without its paths. */
export function toolRequest({ name, category, shell }: Tool, input: unknown): ToolRequest {
  return { tool: name, input, ...defined({ category, shell }) };
}

/** Returns the request with resolved paths; an input that fails the tool's schema has none. */
export function resolvedRequest(tool: Tool, input: unknown): Promise<ToolRequest> | ToolRequest {
  const request = toolRequest(tool, input);
  return tool.paths === undefined ? request : withPaths(request, tool);
}

async function withPaths(request: ToolRequest, tool: Tool): Promise<ToolRequest> {
  const checked = await checkInput(tool, request.input);
  const paths = 'value' in checked ? await tool.paths?.(checked.value) : undefined;
  return paths === undefined ? request : { ...request, paths };
}

function refusal({ outcome, feedback, by }: PersonAnswer): string {
  if (outcome === 'expired') return 'Nobody answered in time.';
  if (outcome === 'cancelled') return 'The run was stopped before anybody answered.';
  const who = by ?? 'A person';
  return feedback ? `${who} rejected it: ${feedback}` : `${who} rejected it.`;
}

function asRecord(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : { input };
}
