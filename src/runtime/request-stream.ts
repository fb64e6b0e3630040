import type { EventLog } from '../log/event-log.ts';
import { flowEncoder, type FlowOptions } from '../protocols/flow/flow-encoder.ts';
import type { FlowEvent } from '../protocols/flow/flow-event.ts';
import type { RequestPlace } from './find-request.ts';

export interface RequestStreamOptions extends Omit<FlowOptions, 'runId'>, RequestPlace {
  readonly log: EventLog;
  readonly threadId: string;
  /** How many wire events are passed over: the reader has them. */
  readonly skip: number;
  /** Ends the stream, not the run. */
  readonly signal: AbortSignal;
  /** Resolves when the run is over, as far as this process can see. */
  readonly over: () => Promise<unknown>;
}

/** The wire events of one request, from the log: those that are there, then those that come. */
export async function* requestStream(options: RequestStreamOptions): AsyncGenerator<FlowEvent, void, undefined> {
  const { log, threadId, resourceId, runId, priceOf, currency, after, signal, over } = options;
  let { skip } = options;
  const encoder = flowEncoder({ runId, threadId, resourceId, priceOf, currency });
  for await (const event of log.tail(threadId, after, { signal })) {
    const encoded = encoder.encode(event);
    const ends = encoded.some(({ type }) => type === 'finish' || type === 'error');
    // Whoever reads the end may ask again at once.
    if (ends) await over();
    for (const each of encoded) {
      if (skip > 0) skip--;
      else yield each;
    }
    if (ends) return;
  }
}
