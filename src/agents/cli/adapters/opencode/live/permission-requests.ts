import type { LiveAnswer, LiveRequest } from '../../../contract/live-channel.ts';
import type { OpenCall } from '../../../shared/open-calls.ts';
import type { HttpCalls } from './http-calls.ts';
import { allowLabel, approvalQuestion, type PermissionAsk, permissionRequest } from './permission-ask.ts';

/** What the requests of a turn need to know of it. */
export interface RequestHost {
  /** Returns the open call of a session and its run; undefined while the call has not been reported. */
  findCall(sessionId: string, callId: string): { readonly call: OpenCall; readonly runId: string } | undefined;
  /** Returns the run of a session; undefined when it is not one of ours. */
  runIdOf(sessionId: string): string | undefined;
  request(request: LiveRequest): void;
  withdraw(requestId: string, reason: string): void;
  /** Calls back after a delay, unless the turn has ended. */
  after(ms: number, callback: () => void): void;
}

/** The time that the report of a call may take after the request about it. */
export const callDelayMs = 500;

const rejection = 'The user rejected this call.';

interface HeldRejection {
  readonly ask: PermissionAsk;
  readonly reason: string;
}

/** The permission requests of one turn. */
export class PermissionRequests {
  readonly #host: RequestHost;
  readonly #calls: Pick<HttpCalls, 'post'>;
  /** Every request of the turn: a repeated one has no effect. */
  readonly #known = new Set<string>();
  /** The requests that wait for a person, by id. */
  readonly #open = new Map<string, PermissionAsk>();
  /** The requests whose call has not been reported. */
  readonly #early = new Map<string, PermissionAsk>();
  /** The calls that were approved: a second request of the same call, such as one for a folder, is part of it. */
  readonly #approved = new Set<string>();
  /** Rejections that wait for the other requests of their session: the program would reject those, too. */
  readonly #held = new Map<string, HeldRejection[]>();

  constructor(host: RequestHost, calls: Pick<HttpCalls, 'post'>) {
    this.#host = host;
    this.#calls = calls;
  }

  /** Handles a request; returns false when it comes from a session that is not ours. */
  ask(ask: PermissionAsk): boolean {
    const runId = this.#host.runIdOf(ask.sessionId);
    if (runId === undefined) return false;
    if (this.#known.has(ask.id)) return true;
    this.#known.add(ask.id);
    if (ask.callId === undefined) {
      this.#open.set(ask.id, ask);
      this.#host.request(approvalQuestion(ask, runId));
    } else if (this.#approved.has(keyOf(ask))) this.#reply(ask, { reply: 'once' });
    else if (!this.#request(ask)) {
      this.#early.set(ask.id, ask);
      this.#host.after(callDelayMs, () => this.#giveUp(ask));
    }
    return true;
  }

  /** A call has been reported: requests that came before it can be shown. */
  callReported(): void {
    for (const ask of this.#early.values()) if (this.#request(ask)) this.#early.delete(ask.id);
  }

  /** The program reports that a request has been answered; it may have answered it itself. */
  replied(id: string): void {
    this.#early.delete(id);
    for (const held of this.#held.values()) {
      const at = held.findIndex(({ ask }) => ask.id === id);
      if (at >= 0) held.splice(at, 1);
    }
    const ask = this.#open.get(id);
    if (ask === undefined) return;
    this.#open.delete(id);
    this.#host.withdraw(id, 'The program closed the request itself.');
    this.#sendRejections(ask.sessionId);
  }

  /** Answers a request; returns false when it is not open. */
  answer(id: string, answer: LiveAnswer): boolean {
    const ask = this.#open.get(id);
    if (ask === undefined) return false;
    this.#open.delete(id);
    if (allows(answer)) {
      if (ask.callId !== undefined) this.#approved.add(keyOf(ask));
      this.#reply(ask, { reply: 'once' });
    } else {
      const reason = ('feedback' in answer ? answer.feedback : undefined) ?? rejection;
      const held = this.#held.get(ask.sessionId) ?? [];
      this.#held.set(ask.sessionId, [...held, { ask, reason }]);
    }
    this.#sendRejections(ask.sessionId);
    return true;
  }

  /** Forgets all requests and returns the ids of those that waited for a person. */
  clear(): string[] {
    const open = [...this.#open.keys()];
    this.#open.clear();
    this.#early.clear();
    this.#held.clear();
    return open;
  }

  /** Shows a request when its call is known. */
  #request(ask: PermissionAsk): boolean {
    const found = this.#host.findCall(ask.sessionId, ask.callId ?? '');
    if (found === undefined) return false;
    this.#open.set(ask.id, ask);
    this.#host.request(permissionRequest(ask, found.call, found.runId));
    return true;
  }

  /** The call of a request was never reported: it is not understood and must not run. */
  #giveUp(ask: PermissionAsk): void {
    if (!this.#early.delete(ask.id)) return;
    this.#reply(ask, { reply: 'reject', message: 'The call was not reported, and nobody could be asked about it.' });
  }

  /**
   * Sends the rejections of a session once none of its requests waits for a person. The program rejects all of them
   * with the first and drops the reasons of the others: the first carries them all.
   */
  #sendRejections(sessionId: string): void {
    if ([...this.#open.values(), ...this.#early.values()].some(ask => ask.sessionId === sessionId)) return;
    const held = this.#held.get(sessionId) ?? [];
    this.#held.delete(sessionId);
    const others = held.slice(1).map(({ ask, reason }) => `${ask.patterns.join(', ')}: ${reason}`);
    for (const [index, { ask, reason }] of held.entries())
      this.#reply(ask, { reply: 'reject', message: index === 0 ? [reason, ...others].join('\n') : reason });
  }

  #reply(ask: PermissionAsk, body: { reply: 'once' | 'reject'; message?: string }): void {
    this.#calls.post(`/permission/${ask.id}/reply`, body);
  }
}

function keyOf({ sessionId, callId }: PermissionAsk): string {
  return `${sessionId}/${callId}`;
}

function allows(answer: LiveAnswer): boolean {
  return answer.outcome === 'approve' || (answer.outcome === 'answer' && [answer.answer].flat().includes(allowLabel));
}
