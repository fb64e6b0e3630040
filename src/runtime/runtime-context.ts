import type { LoggedEvent } from '../events/vocabulary.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { EventLog } from '../log/event-log.ts';
import { readEvents } from '../log/read-events.ts';
import type { ApprovalContext, ApprovalPolicy } from './approval-policy.ts';

/** What the runs of a thread share. */
export interface Place {
  readonly threadId: string;
  readonly resourceId: string;
  readonly log: EventLog;
  readonly policy: ApprovalPolicy;
  /** The plans that calls of this process work on. */
  readonly plansAtWork: Set<string>;
}

/** What the tools of a run get as the `request` of their call. */
export class RuntimeContext implements ApprovalContext {
  readonly place: Place;
  readonly agent: string;

  constructor(place: Place, agent: string) {
    this.place = place;
    this.agent = agent;
  }

  get threadId(): string {
    return this.place.threadId;
  }

  get resourceId(): string {
    return this.place.resourceId;
  }

  /** The events of the thread so far, without those that were imported, oldest first. */
  async *history(): AsyncIterable<LoggedEvent> {
    const { importedSeq } = (await this.place.log.getThread(this.threadId)) ?? {};
    yield* readEvents(this.place.log, this.threadId, importedSeq);
  }

  /** Returns the `request` of a call; throws `invalid_argument` when no runtime runs it. */
  static of(request: unknown): RuntimeContext {
    if (request instanceof RuntimeContext) return request;
    throw new SingletreeError('invalid_argument', 'This tool works in a runtime only: run its agent by createRuntime.');
  }
}
