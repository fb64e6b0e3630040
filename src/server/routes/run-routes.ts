import { Readable } from 'node:stream';
import * as z from 'zod';
import type { Redactor } from '../../agents/redaction/redactor.ts';
import { ThreadFolds } from '../../control/threads/thread-folds.ts';
import type { RawLine } from '../../log/event-log.ts';
import { totals } from '../../projections/totals.ts';
import { type RawLineInfo, rawLineInfo } from '../../protocols/http-api.ts';
import { wholeNumber } from '../request-input.ts';
import { type Route, route, threadRoute } from '../route.ts';
import { getAuthor } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const tag = 'Runs';
const rawPage = 200;

/** Creates the routes for the runs of a thread: their status, output and usage. */
export function runRoutes(site: Site): Route[] {
  const { log } = site.options;
  const costs = new ThreadFolds(log, totals, { most: 200 });
  return [
    threadRoute(tag, httpRoutes.listRuns, {
      right: 'read',
      summary: 'List the runs of a thread, oldest first',
      handle: async ({ thread }) => ({ runs: await site.runs.list(thread) }),
    }),
    threadRoute(tag, httpRoutes.getRun, {
      right: 'read',
      summary: 'Read where a run stands',
      handle: ({ thread, param }) => site.runs.find(thread, param('runId')),
    }),
    threadRoute(tag, 'GET /api/threads/{threadId}/runs/{runId}/raw', {
      right: 'read',
      summary: 'Download what the program of a run printed',
      query: z.strictObject({
        after: wholeNumber.optional().describe('only lines with a higher number'),
        limit: wholeNumber.optional().describe('at most this many lines; all when absent'),
      }),
      answer: { contentType: 'application/x-ndjson', description: JSON.stringify(z.toJSONSchema(rawLineInfo)) },
      handle: async ({ thread, param, query }) => {
        const { runId } = await site.runs.find(thread, param('runId'));
        const lines = async function* () {
          let { after = 0, limit: left = Number.POSITIVE_INFINITY } = query;
          while (left > 0) {
            const limit = Math.min(rawPage, left);
            const page = await log.readRaw(thread.id, runId, { after, limit });
            for (const line of page) yield `${JSON.stringify(rawLine(line, site.redactor))}\n`;
            if (page.length < limit) return;
            after += page.length;
            left -= page.length;
          }
        };
        return new Response(Readable.toWeb(Readable.from(lines())) as ReadableStream, {
          headers: { 'content-type': 'application/x-ndjson' },
        });
      },
    }),
    threadRoute(tag, httpRoutes.getUsage, {
      right: 'read',
      summary: 'Read what a thread cost: in all, and by run, agent, model and tool',
      handle: ({ thread }) => costs.of(thread),
    }),
    threadRoute(tag, httpRoutes.stopSubagent, {
      right: 'send',
      summary: 'Stop one subagent: the run that started it continues with an error in place of its result',
      answer: z.looseObject({}),
      handle: ({ thread, param, scope }) =>
        site.conversations.stopSubagent(thread.id, param('runId'), getAuthor(scope)),
    }),
    route(tag, httpRoutes.abortRun, {
      right: 'send',
      summary: 'Stop a run and everything it started',
      answer: z.looseObject({}),
      handle: ({ param, scope }) =>
        site.conversations.abort(param('runId'), { resourceId: scope.resourceId, ...getAuthor(scope) }),
    }),
  ];
}

function rawLine({ n, ts, stream, line }: RawLine, redactor: Redactor): RawLineInfo {
  try {
    return { n, ts, stream, line: redactor.json(strictUtf8.decode(line)) };
  } catch {
    // The line is not valid UTF-8.
    const bytes = redactor.text(Buffer.from(line).toString('latin1'));
    return { n, ts, stream, base64: Buffer.from(bytes, 'latin1').toString('base64') };
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
