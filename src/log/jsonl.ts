import { defined } from '../base/defined.ts';
import { optionNamesCheck } from '../base/options/check-options.ts';
import type { AgentEvent, LoggedEvent } from '../events/vocabulary.ts';
import { parseEventText } from '../events/parse.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { threadExists } from './checks.ts';
import type { EventLog, NewThread, Thread } from './event-log.ts';
import { defaultMaxEventBytes, eventTooLarge, pageBytes } from './event-size.ts';
import { OpenEnds } from './open-ends.ts';
import { readEvents } from './read-events.ts';

const pageSize = 500;

/** The thread that an import makes; its metadata is empty, because keys of it can start runs and choose models. */
export type ImportTarget = Pick<NewThread, 'id' | 'resourceId' | 'title'>;

const checkTarget = optionNamesCheck('importThread', ['id', 'resourceId', 'title'] satisfies (keyof ImportTarget)[]);

/** Exports a thread as lines of JSON, one event each, in constant memory. The same log exports the same bytes. */
export async function* exportThread(log: EventLog, threadId: string): AsyncGenerator<string> {
  yield* toLines(readEvents(log, threadId));
}

/** Yields events as lines of JSON. */
export async function* toLines(events: AsyncIterable<LoggedEvent>): AsyncGenerator<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}

/**
 * Creates a thread from lines of JSON in constant memory. Grants, requests and open work in its events have no effect.
 * Exporting the thread returns the same bytes, then events that close what the lines left open. When a line is not an
 * event, is too long or does not have the next `seq`, the error names the line and no thread remains.
 */
export async function importThread(
  log: EventLog,
  source: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  target: ImportTarget = {},
): Promise<Thread> {
  checkTarget(target);
  const { resourceId, title } = target;
  if (target.id !== undefined && (await log.getThread(target.id)) !== undefined) throw threadExists(target.id);
  let id: string | undefined;
  let batch: AgentEvent[] = [];
  const append = async () => {
    const createdAt = batch[0]?.ts;
    id ??= (await log.createThread({ imported: true, ...defined({ id: target.id, resourceId, title, createdAt }) })).id;
    if (batch.length > 0) await log.append(id, batch, { imported: true });
    batch = [];
    return id;
  };
  try {
    let length = 0;
    let number = 0;
    let seq = 0;
    const openEnds = new OpenEnds();
    for await (const line of readLines(source, log.maxEventBytes ?? defaultMaxEventBytes)) {
      number++;
      if (line.trim() === '') continue;
      const event = parseEventText(line, `Line ${number}`);
      seq++;
      if (event.seq !== undefined && event.seq !== seq) throw outOfOrder(number, event.seq, seq);
      batch.push(event);
      openEnds.take(event);
      length += line.length;
      if (batch.length < pageSize && length < pageBytes) continue;
      await append();
      length = 0;
    }
    const lastTs = batch.at(-1)?.ts;
    batch.push(...openEnds.closing().map(event => ({ ...event, ...defined({ ts: lastTs }) })));
    return (await log.getThread(await append())) as Thread;
  } catch (error) {
    if (id !== undefined) await log.deleteThread(id);
    throw error;
  }
}

function outOfOrder(line: number, seq: number, expected: number): SingletreeError {
  return new SingletreeError(
    'invalid_event',
    `Line ${line}: seq is ${seq}, expected ${expected}: a line is missing or doubled.`,
    {
      details: { line, seq, expected },
    },
  );
}

async function* readLines(
  source: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 1;
  let rest = '';
  const decode = (bytes?: Uint8Array, options?: { stream: boolean }) => {
    try {
      return decoder.decode(bytes, options);
    } catch (cause) {
      throw new SingletreeError('invalid_event', `Line ${number} is not UTF-8.`, { details: { line: number }, cause });
    }
  };
  /** Counts what a line has beyond what is kept of it: its bytes, or as many characters at least. */
  let length = 0;
  const grow = (more: number) => {
    length += more;
    if (length > maxBytes) throw eventTooLarge(`Line ${number}`, length, maxBytes);
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = indexOfNewline(chunk, 0); end >= 0; end = indexOfNewline(chunk, start)) {
      grow(end - start);
      yield rest + (typeof chunk === 'string' ? chunk.slice(start, end) : decode(chunk.subarray(start, end)));
      rest = '';
      length = 0;
      number++;
      start = end + 1;
    }
    grow(chunk.length - start);
    rest += typeof chunk === 'string' ? chunk.slice(start) : decode(chunk.subarray(start), { stream: true });
  }
  rest += decode();
  if (rest !== '') yield rest;
}

function indexOfNewline(chunk: string | Uint8Array, from: number): number {
  return typeof chunk === 'string' ? chunk.indexOf('\n', from) : chunk.indexOf(10, from);
}
