import type { Allowances, AskedLimit } from '../contract/spending.ts';
import * as z from 'zod';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';

/** A request to a user to spend beyond a limit. */
export interface Allowance extends AskedLimit {
  readonly spent: number;
  /** How much may be spent with an approval. */
  readonly upTo: number;
}

const allowanceParams = z.object({
  scope: z.enum(['run', 'thread', 'day']),
  measure: z.enum(['tokens', 'cost']),
  of: z.string(),
  limit: z.number(),
  spent: z.number(),
  upTo: z.number(),
}) satisfies z.ZodType<Allowance>;

/** The name that a relay of a limit has in the place of a tool. */
const limitName = 'spending limit';

/** Creates the relay that asks for an allowance. */
export function allowanceRelay(
  { id, runId }: { readonly id: string; readonly runId: string },
  allowance: Allowance,
  message: string,
): EventOf<'relay'> {
  return {
    type: 'relay',
    runId,
    id,
    relayKind: 'suspension',
    tool: limitName,
    params: { ...allowance },
    payload: { message },
    answers: ['approve', 'reject'],
  };
}

/** Tracks requests to spend beyond limits and their approvals by folding the events of threads. */
export class AllowanceBook implements Allowances {
  readonly #pending = new Map<string, PendingAllowance>();
  readonly #approved = new Map<string, number>();

  /** Applies the next event of a thread. */
  take(event: AgentEvent, threadId = ''): void {
    if (event.type === 'relay') {
      const allowance = readAllowance(event);
      if (allowance === undefined) return;
      const { id, runId } = event;
      this.#pending.set(id, { key: toKey(allowance), upTo: allowance.upTo, threadId, runId });
    } else if (event.type === 'relay_resolved') {
      const asked = this.#pending.get(event.relayId);
      this.#pending.delete(event.relayId);
      if (asked === undefined || event.outcome !== 'approve') return;
      this.#approved.set(asked.key, Math.max(this.#approved.get(asked.key) ?? 0, asked.upTo));
    } else if (event.type === 'harness_end')
      for (const [id, { runId }] of this.#pending) if (runId === event.runId) this.#pending.delete(id);
  }

  /** Returns the approved amount; 0 without an approval. */
  upTo(limit: AskedLimit): number {
    return this.#approved.get(toKey(limit)) ?? 0;
  }

  /** Returns the id of the relay that asks for more in a thread and has no answer. */
  findPending(limit: AskedLimit, threadId = ''): string | undefined {
    const key = toKey(limit);
    for (const [id, asked] of this.#pending) if (asked.key === key && asked.threadId === threadId) return id;
    return undefined;
  }
}

interface PendingAllowance {
  readonly key: string;
  readonly upTo: number;
  readonly threadId: string;
  /** The run that asks. */
  readonly runId: string;
}

function readAllowance(relay: EventOf<'relay'>): Allowance | undefined {
  if (relay.relayKind !== 'suspension' || relay.tool !== limitName || relay.toolCallId !== undefined) return undefined;
  return allowanceParams.safeParse(relay.params).data;
}

function toKey({ scope, measure, of, limit }: AskedLimit): string {
  return [scope, measure, limit, of].join(' ');
}
