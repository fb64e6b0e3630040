import type { EventOf } from '../../events/vocabulary.ts';
import type { OpenCall, OpenRelay, OpenRun } from './open.ts';
import { defined } from '../../base/defined.ts';

/** The decision about a relay. */
export interface RelayDecision {
  readonly outcome: 'approve' | 'reject' | 'revise';
  readonly feedback?: string;
  /** The input to use instead, when it was revised. */
  readonly partial?: unknown;
  /** The answer to a question. */
  readonly answer?: string | readonly string[];
}

/** Returns a rejection for a relay that ended without an answer. */
export function undecided(feedback: string): RelayDecision {
  return { outcome: 'reject', feedback };
}

/** Returns the decision of a logged answer; an expired or cancelled relay becomes a rejection with the reason. */
export function toDecision({ outcome, feedback, input, answer }: EventOf<'relay_resolved'>): RelayDecision {
  const words = feedback !== undefined && { feedback };
  switch (outcome) {
    case 'approve':
    case 'reject':
      return { outcome, ...words };
    case 'revise':
      return { outcome, partial: input ?? {}, ...words };
    case 'answer':
      return { outcome: 'approve', ...defined({ answer }), ...words };
    case 'expired':
      return undecided(feedback ?? 'Nobody answered in time.');
    case 'cancelled':
      return undecided(feedback ?? 'It was cancelled before anybody answered.');
    default:
      return outcome satisfies never;
  }
}

/** A relay as it waits for its decision; `call` is the open call it is about. */
export function openRelay(event: EventOf<'relay'>, run: OpenRun, call: OpenCall | undefined): OpenRelay {
  const { id, ts } = event;
  const askedAt = ts === undefined ? undefined : Date.parse(ts);
  return { id, event, run, call, askedAt, ...relaySubject(event, call?.key) };
}

type Subject = Pick<OpenRelay, 'kind' | 'target' | 'payload'>;

/** Returns the subject of a relay; `callKey` is the wire id of its call. */
export function relaySubject(event: EventOf<'relay'>, callKey: string | undefined): Subject {
  const { toolCallId, expiresAt } = event;
  const { kind, target, payload } = getSubject(event, callKey);
  return { kind, target, payload: defined({ toolCallId: callKey ?? toolCallId, ...payload, expiresAt }) };
}

function getSubject(event: EventOf<'relay'>, callKey: string | undefined): Subject {
  const target = callKey ?? event.toolCallId ?? event.id;
  switch (event.relayKind) {
    case 'permission':
      return { kind: 'tool', target, payload: { toolName: event.tool, args: event.params } };
    case 'plan':
      return { kind: 'plan', target: event.planId, payload: { title: event.title, plan: event.plan } };
    case 'question': {
      const { question, options, selectionMode } = event;
      return { kind: 'question', target, payload: { question, options, selectionMode } };
    }
    case 'suspension': {
      const { tool: toolName, params: args, payload, resumeSchema } = event;
      return { kind: 'suspension', target, payload: { toolName, args, payload, resumeSchema } };
    }
    case 'access':
      return { kind: 'access', target, payload: event.params };
    default:
      return event satisfies never;
  }
}
