import { createParser } from 'eventsource-parser';
import { problemFrom } from './problem.ts';
import { defined } from '../base/defined.ts';

/** One frame of an event stream. */
export interface Frame {
  readonly data: string;
  readonly id?: string;
}

/**
 * Yields the frames of an event stream. Ends when it ends or is silent for too long; throws the problem that the server
 * sends.
 */
export async function* readFrames(body: ReadableStream<Uint8Array>, idleMs: number): AsyncGenerator<Frame> {
  const arrived: Frame[] = [];
  const parser = createParser({
    onEvent: ({ event, data, id }) => {
      if (event === 'error') throw problemFrom(data);
      if (event === undefined) arrived.push({ data, ...defined({ id }) });
    },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const chunk = await within(reader.read(), idleMs);
      if (chunk === undefined || chunk.done) return;
      try {
        parser.feed(decoder.decode(chunk.value, { stream: true }));
      } finally {
        yield* arrived.splice(0);
      }
    }
  } finally {
    // The connection may be gone already.
    reader.cancel().catch(() => {});
  }
}

async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
