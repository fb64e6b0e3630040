import * as z from 'zod';
import { readRedacted } from '../../agents/redaction/read-redacted.ts';
import { defined } from '../../base/defined.ts';
import { getDefinition, type EventType } from '../../events/vocabulary.ts';
import { readEventPage } from '../../log/event-pages.ts';
import { searchLog, readUsage } from '../../log/derived/log-queries.ts';
import { usageGroups } from '../../log/derived/usage-totals.ts';
import { wholeNumber } from '../request-input.ts';
import { type Route, route, threadRoute } from '../route.ts';
import type { Site } from '../site.ts';
import { resourceFor } from '../threads.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, 'expected a day such as 2026-01-31');
const by = z
  .string()
  .transform(text => text.split(','))
  .pipe(z.array(z.enum(usageGroups)));

const windowQuery = z.strictObject({
  before: wholeNumber.optional().describe('the events up to this seq, it excluded'),
  after: wholeNumber.optional().describe('the events from this seq on, it excluded'),
  around: wholeNumber.optional().describe('the events before and after this seq'),
  message: z.string().min(1).optional().describe('the events around the beginning of this message'),
  limit: wholeNumber.pipe(z.number().min(1).max(5000)).optional().describe('about how many events, 500 when absent'),
});

const searchQuery = z.strictObject({
  text: z.string().max(500).describe('words that a message or a title has, all of them'),
  resourceId: z.string().min(1).optional(),
  limit: wholeNumber.pipe(z.number().min(1).max(100)).optional().describe('20 when absent'),
  after: z
    .string()
    .regex(/^\d{1,16}$/)
    .optional()
    .describe('`next` of the page before'),
});

const eventsQuery = z.strictObject({
  types: z
    .string()
    .transform(text => text.split(','))
    .pipe(
      z.array(
        z.custom<EventType>(
          type => typeof type === 'string' && getDefinition(type) !== undefined,
          'expected types of events',
        ),
      ),
    )
    .optional()
    .describe('only events of these types, separated by commas'),
  since: z.iso.datetime({ offset: true }).optional().describe('only events that are not earlier, ISO 8601'),
  resourceId: z.string().min(1).optional(),
  limit: wholeNumber.pipe(z.number().min(1).max(1000)).optional().describe('at most how many, 500 when absent'),
  cursor: z.string().min(1).max(2000).optional().describe('`next` of the page before'),
});

const usageQuery = z.strictObject({
  from: day.optional().describe('the first day, in UTC'),
  to: day.optional().describe('the last day, in UTC'),
  resourceId: z.string().min(1).optional(),
  by: by
    .optional()
    .describe(
      'what is kept apart: `day`, `agent`, `model`, `resource`, `thread`, `tool`, or several with commas; one total when absent. With `tool` it is the calls of tools',
    ),
});

/** Creates the routes that do not read whole threads: windows, search and usage totals. */
export function queryRoutes(site: Site): Route[] {
  const { log } = site.options;
  return [
    threadRoute('Threads', httpRoutes.readWindow, {
      right: 'read',
      summary: 'Read a part of a thread, its end when nothing else is named',
      query: windowQuery,
      handle: ({ thread, query }) => site.readWindow(thread.id, defined(query)),
    }),
    route('Threads', httpRoutes.events, {
      right: 'read',
      summary: 'Read the events of all threads, page by page: thread by thread, in order within one',
      query: eventsQuery,
      handle: ({ query, scope }) =>
        readEventPage(log, defined({ ...query, resourceId: resourceFor(scope, query.resourceId) }), (threadId, range) =>
          readRedacted({ log, redactor: site.redactor }, threadId, range),
        ),
    }),
    route('Threads', httpRoutes.search, {
      right: 'read',
      summary: 'Find messages and titles by their words, the newest first',
      query: searchQuery,
      handle: ({ query, scope }) =>
        searchLog(log, defined({ ...query, resourceId: resourceFor(scope, query.resourceId) })),
    }),
    route('Runs', httpRoutes.sumUsage, {
      right: 'read',
      summary: 'Add up what calls of models and tools used in all threads',
      query: usageQuery,
      handle: async ({ query, scope }) => ({
        totals: await readUsage(log, defined({ ...query, resourceId: resourceFor(scope, query.resourceId) })),
      }),
    }),
  ];
}
