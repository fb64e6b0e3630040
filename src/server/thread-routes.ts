import { Hono } from 'hono';
import * as z from 'zod';
import { SingletreeError } from '../events/index.ts';
import type { EventLog, Thread } from '../log/index.ts';
import {
  messageBody,
  newThreadBody,
  relayBody,
  retryBody,
  selectionBody,
  type ThreadInfo,
} from '../protocols/index.ts';
import type { AppOptions } from './app.ts';
import { eventStream } from './event-stream.ts';
import { messageIntake, pickAgent } from './message-intake.ts';
import { readBody, readQuery, wholeNumber } from './request-input.ts';

const listQuery = z.strictObject({
  resourceId: z.string().min(1).optional(),
  limit: wholeNumber.pipe(z.number().min(1).max(1000)).optional(),
});
const eventsQuery = z.strictObject({ after: wholeNumber.optional() });
const lastEventId = z.object({ 'Last-Event-ID': wholeNumber.optional() });

/** The routes under `/api/threads`. */
export function threadRoutes(
  options: AppOptions & { readonly signal: AbortSignal; readonly keepAliveMs: number },
): Hono {
  const { log, control, signal, keepAliveMs } = options;
  const routes = new Hono();
  const takeIn = messageIntake(options);

  const runsOf = (threadId: string) => control.running().filter(run => run.threadId === threadId);
  const infoOf = (thread: Thread): ThreadInfo => ({
    ...thread,
    runs: runsOf(thread.id).map(({ runId }) => ({ runId })),
  });
  const find = async (threadId: string): Promise<Thread> => {
    const thread = await log.getThread(threadId);
    if (thread) return thread;
    throw new SingletreeError('thread_not_found', `There is no thread "${threadId}".`, { details: { threadId } });
  };

  routes.get('/', async context => {
    const { resourceId, limit } = readQuery(context.req, listQuery);
    const filter = { ...(resourceId !== undefined && { resourceId }), ...(limit !== undefined && { limit }) };
    return context.json({ threads: (await log.listThreads(filter)).map(infoOf) });
  });

  routes.post('/', async context => {
    const { title, resourceId } = await readBody(context.req, newThreadBody);
    const thread = await log.createThread({
      ...(title !== undefined && { title }),
      ...(resourceId !== undefined && { resourceId }),
    });
    return context.json(infoOf(thread), 201);
  });

  routes.get('/:id', async context => context.json(infoOf(await find(context.req.param('id')))));

  routes.delete('/:id', async context => {
    const { id } = await find(context.req.param('id'));
    await Promise.all(runsOf(id).map(run => control.abort(run.runId)));
    await options.onDelete?.(id, await runIdsOf(log, id));
    await log.deleteThread(id);
    return context.body(null, 204);
  });

  routes.post('/:id/messages', async context => {
    const thread = await find(context.req.param('id'));
    return context.json(await takeIn(thread, await readBody(context.req, messageBody)), 202);
  });

  routes.post('/:id/retries', async context => {
    const { id } = await find(context.req.param('id'));
    const { messageId, agent: named, model } = await readBody(context.req, retryBody);
    const agent = pickAgent(options.agents, named);
    const run = await control.retry(id, { agent, messageId, ...(model !== undefined && { model }) });
    return context.json({ runId: run.runId }, 202);
  });

  routes.post('/:id/selection', async context => {
    const { id } = await find(context.req.param('id'));
    await control.select(id, (await readBody(context.req, selectionBody)).nodeId);
    return context.json({});
  });

  routes.post('/:id/relays/:relayId', async context => {
    const { id } = await find(context.req.param('id'));
    const { outcome, ...rest } = await readBody(context.req, relayBody);
    await control.answer(id, context.req.param('relayId'), { outcome, ...rest });
    return context.json({});
  });

  routes.get('/:id/events', async context => {
    const thread = await find(context.req.param('id'));
    const after = startOf(context.req.header('last-event-id'), readQuery(context.req, eventsQuery).after, thread);
    const events = (stop: AbortSignal) => log.tail(thread.id, after, { signal: stop });
    return new Response(eventStream({ events, signal, keepAliveMs }), {
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
    });
  });

  return routes;
}

async function runIdsOf(log: EventLog, threadId: string): Promise<string[]> {
  const runIds = new Set<string>();
  for (let after = 0, page = await log.read(threadId); page.length > 0; page = await log.read(threadId, { after })) {
    for (const event of page) if (event.type === 'harness_start') runIds.add(event.runId);
    after = page.at(-1)?.seq ?? after;
  }
  return [...runIds];
}

/** The seq to go on after: a reader that reconnects says it in a header, which counts more than its first address. */
function startOf(header: string | undefined, query: number | undefined, thread: Thread): number {
  const parsed = lastEventId.safeParse({ 'Last-Event-ID': header || undefined });
  if (!parsed.success)
    throw new SingletreeError('invalid_argument', `Header "Last-Event-ID" is "${header}". Expected a whole number.`);
  const after = parsed.data['Last-Event-ID'] ?? query ?? 0;
  if (after <= thread.seq) return after;
  throw new SingletreeError(
    'invalid_argument',
    `The thread "${thread.id}" ends at seq ${thread.seq}; it cannot be read after ${after}.`,
  );
}
