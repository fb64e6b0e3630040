import { Readable } from 'node:stream';
import * as z from 'zod';
import type { Redactor } from '../../agents/redaction/redactor.ts';
import { SingletreeError } from '../../events/index.ts';
import { ThreadFolds } from '../../control/thread-folds.ts';
import type { RawLine, Thread } from '../../log/index.ts';
import { runStatus, totals } from '../../projections/index.ts';
import { type RawLineInfo, rawLineInfo, type RunInfo, runInfo, usageInfo } from '../../protocols/index.ts';
import { wholeNumber } from '../request-input.ts';
import { type Route, route } from '../route.ts';
import { authorOf } from '../security/access.ts';
import type { Site } from '../site.ts';

const tag = 'Runs';
const rawPage = 200;
const nothing = { state: 'idle', runs: [] };

/** The runs of a thread: where they stand, what they printed, what they cost. */
export function runRoutes(site: Site): Route[] {
  const { log } = site.options;
  const standings = new ThreadFolds(log, runStatus, { most: 200 });
  const costs = new ThreadFolds(log, totals, { most: 200 });
  /** A run that has no end and that nobody works on, such as one that was cut off by a branch, is interrupted. */
  const runsOf = async (thread: Thread): Promise<RunInfo[]> => {
    const runs = await standings.of(thread);
    const current = await log.getThread(thread.id);
    const { state, runs: open } = current === undefined ? nothing : await site.conversations.status(current);
    const isWorkedOn = open.length > 0 && state !== 'interrupted';
    return runs.map(run => ({ ...run, ...(!isWorkedOn && run.endedAt === undefined && { status: 'interrupted' }) }));
  };
  const findRun = async (thread: Thread, runId: string) => {
    const run = (await runsOf(thread)).find(each => each.runId === runId);
    if (run !== undefined) return run;
    throw runNotFound(runId);
  };
  return [
    route({
      method: 'get',
      path: '/api/threads/{threadId}/runs',
      tag,
      summary: 'List the runs of a thread, oldest first',
      answer: z.looseObject({ runs: z.array(runInfo) }),
      handle: async ({ param, scope }) => {
        return { runs: await runsOf(await site.find(scope, param('threadId'))) };
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{threadId}/runs/{runId}',
      tag,
      summary: 'Read where a run stands',
      answer: runInfo,
      handle: async ({ param, scope }) => {
        return findRun(await site.find(scope, param('threadId')), param('runId'));
      },
    }),
    route({
      method: 'get',
      path: '/api/threads/{threadId}/runs/{runId}/raw',
      tag,
      summary: 'Download what the program of a run printed',
      query: z.strictObject({
        after: wholeNumber.optional().describe('only lines with a higher number'),
        limit: wholeNumber.optional().describe('at most this many lines; all when absent'),
      }),
      answer: { contentType: 'application/x-ndjson', description: JSON.stringify(z.toJSONSchema(rawLineInfo)) },
      handle: async ({ param, scope, query }) => {
        const thread = await site.find(scope, param('threadId'));
        const { id } = thread;
        const { runId } = await findRun(thread, param('runId'));
        const lines = async function* () {
          let { after = 0, limit: left = Number.POSITIVE_INFINITY } = query;
          while (left > 0) {
            const limit = Math.min(rawPage, left);
            const page = await log.readRaw(id, runId, { after, limit });
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
    route({
      method: 'get',
      path: '/api/threads/{threadId}/usage',
      tag,
      summary: 'Read what a thread cost: in all, and by run, agent and model',
      answer: usageInfo,
      handle: async ({ param, scope }) => {
        return costs.of(await site.find(scope, param('threadId')));
      },
    }),
    route({
      method: 'post',
      path: '/api/runs/{runId}/abort',
      tag,
      summary: 'Stop a run and everything it started',
      answer: z.looseObject({}),
      handle: async ({ param, scope }) => {
        await site.conversations.abort(param('runId'), { resourceId: scope.resourceId, ...authorOf(scope) });
      },
    }),
  ];
}

function runNotFound(runId: string): SingletreeError {
  return new SingletreeError('run_not_found', `No run "${runId}" was found here.`, { details: { runId } });
}

function rawLine({ n, ts, stream, line }: RawLine, redactor: Redactor): RawLineInfo {
  try {
    return { n, ts, stream, line: redactor.json(strictUtf8.decode(line)) };
  } catch {
    const bytes = redactor.text(Buffer.from(line).toString('latin1'));
    return { n, ts, stream, base64: Buffer.from(bytes, 'latin1').toString('base64') };
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
