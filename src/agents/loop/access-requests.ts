import type { CallState, RelayState } from '../../projections/run-state.ts';
import { type Asking, askPerson } from '../ask-person.ts';
import type { ToolRequest, PathAccess } from '../contract/permissions.ts';
import { Semaphore } from '../semaphore.ts';
import { accessCovers, pathAccessIn } from '../workspace/path-access.ts';

/** A call with its resolved paths, and the earlier relays of its run. */
export interface AccessCall {
  readonly call: CallState['call'];
  readonly request: ToolRequest;
  readonly relays: ReadonlyMap<string, RelayState>;
  /** Ends the waiting for an answer before the run ends. */
  readonly signal?: AbortSignal;
  readonly onRelay?: Asking['onRelay'];
}

/** The granted access of a call, or the reason why it may not run. */
export type AccessResult = { readonly access: readonly PathAccess[] } | { readonly denied: string };

/**
 * Asks a user for access to paths outside the workspace, one path at a time. A grant for more than one call applies to
 * later calls of the run.
 */
export class AccessRequests {
  readonly #asking: Asking;
  readonly #granted: PathAccess[] = [];
  readonly #turn = new Semaphore(1);

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** Restores earlier grants from the answers in the log. */
  remember(relays: Iterable<RelayState>): void {
    for (const { relay, answer } of relays) {
      if (relay.relayKind !== 'access' || answer?.outcome !== 'approve') continue;
      const access = pathAccessIn(relay.params);
      if (access !== undefined && (answer.remember ?? 'once') !== 'once') this.#granted.push(access);
    }
  }

  /** Returns the granted access of a call; asks for paths that are not granted yet. */
  async permit(accessCall: AccessCall): Promise<AccessResult> {
    const needs = neededAccess(accessCall.request);
    if (needs.length === 0) return { access: [] };
    return this.#turn.run(accessCall.signal ?? this.#asking.signal, async () => {
      const access: PathAccess[] = [];
      for (const need of needs) {
        const granted = [...access, ...this.#granted].find(each => accessCovers(each, need));
        const denied = granted === undefined ? await this.#ask(accessCall, need) : undefined;
        if (denied !== undefined) return { denied };
        access.push(granted ?? need);
      }
      return { access };
    });
  }

  /** Returns undefined when a user granted the access, else the reason for the denial. */
  async #ask(
    { call, request, relays, signal = this.#asking.signal, onRelay }: AccessCall,
    need: PathAccess,
  ): Promise<string | undefined> {
    const { runId } = call;
    const before = [...relays.values()].find(
      ({ relay }) => isAccessRelay(relay) && relay.toolCallId === call.id && isSame(pathAccessIn(relay.params), need),
    );
    const params = { ...need, reason: reasonFor(request.tool, need) };
    const answer = await askPerson(
      { ...this.#asking, signal, onRelay },
      id => ({ type: 'relay', runId, id, relayKind: 'access', toolCallId: call.id, params }),
      before,
    );
    if (answer === undefined) return `${need.path} is outside the workspace, and nobody can be asked for access to it.`;
    if (answer.outcome !== 'approve')
      return `Access to ${need.path}, which is outside the workspace, was not granted.${answer.feedback ? ` ${answer.feedback}` : ''}`;
    if ((answer.remember ?? 'once') !== 'once') this.#granted.push(need);
    return undefined;
  }
}

/** Whether a relay asks for access to a path in the way of this module; a tool may ask in its own way. */
export function isAccessRelay(
  relay: RelayState['relay'],
): relay is Extract<RelayState['relay'], { relayKind: 'access' }> {
  return relay.relayKind === 'access' && pathAccessIn(relay.params) !== undefined;
}

/** Returns the access outside the workspace that a call needs, each path once. */
export function neededAccess({ paths = {}, category }: ToolRequest): PathAccess[] {
  const mode = category === 'read' ? 'read' : 'write';
  const needs = new Map<string, PathAccess>();
  for (const { outside } of Object.values(paths).flat())
    if (outside !== undefined) needs.set(outside.path, { ...outside, mode });
  return [...needs.values()];
}

function isSame(one: PathAccess | undefined, other: PathAccess): boolean {
  return one !== undefined && one.path === other.path && one.kind === other.kind && one.mode === other.mode;
}

function reasonFor(tool: string, { kind, mode }: PathAccess): string {
  const what = kind === 'folder' ? 'this folder and everything in it' : 'this file';
  return `${tool} needs to ${mode} ${what}, outside the workspace.`;
}
