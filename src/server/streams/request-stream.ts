import { setTimeout } from 'node:timers/promises';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { Encoder } from '../../protocols/encoder.ts';
import type { Framing } from '../../protocols/framing.ts';
import type { RequestStanding } from '../../protocols/request/standing.ts';
import type { Site } from '../site.ts';
import { encodedFrames } from './encoded-frames.ts';
import { frameResponse } from './frame-stream.ts';

/** The silence after which a request that may be waiting for a user counts as waiting. */
const quietMs = 250;

/** How a client of a protocol is sent one request. */
export interface RequestReading {
  readonly encoder: Encoder<unknown>;
  /** The seq before the first event to fold. */
  readonly from: number;
  /** The seq up to which the client has the request. */
  readonly after: number;
  /** Whether the request only waits for people, after an event and its chunks. */
  readonly standing: (event: LoggedEvent, chunks: readonly unknown[]) => RequestStanding;
  /** Returns the last chunks of a response to a request that waits for people. */
  readonly part: (event: LoggedEvent) => readonly object[];
}

export interface RequestStreamOptions {
  readonly threadId: string;
  /** Resolves when the run starts, which may wait for another run. */
  readonly runId: string | Promise<string>;
  readonly framing: Framing;
  /** Sent when the server closes before the request ends. */
  readonly cutOff: object;
  readonly open: (runId: string, signal: AbortSignal) => RequestReading | Promise<RequestReading>;
}

/** Streams a request until it ends or only waits for users; the client sends their answers with its next request. */
export function requestStream(site: Site, options: RequestStreamOptions): Response {
  const { redactor, countEvents: onSent } = site;
  const { threadId, runId, framing, cutOff, open } = options;
  const { log } = site.options;
  const isNewest = async ({ seq }: LoggedEvent) => (await log.getThread(threadId))?.seq === seq;
  const frames = async function* (stop: AbortSignal) {
    const run = await Promise.race([runId, waitForAbort(stop)]);
    if (run === undefined) return;
    const { encoder, from, after, standing, part } = await open(run, stop);
    yield* encodedFrames({
      log,
      threadId,
      encoder,
      framing,
      from,
      after: { seq: after, chunks: 0 },
      ends: true,
      runId: run,
      redactor,
      signal: stop,
      cutOff,
      onSent,
      pause: async (event, chunks) => {
        const now = standing(event, chunks);
        if (now === 'working' || !(await isNewest(event))) return undefined;
        if (now === 'uncertain') await setTimeout(quietMs, undefined, { ref: false });
        return (await isNewest(event)) ? part(event) : undefined;
      },
    });
  };
  return frameResponse(site, framing, frames);
}

function waitForAbort(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
