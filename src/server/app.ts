import { Hono } from 'hono';
import type { RunControl } from '../control/run-control.ts';
import { SingletreeError } from '../events/index.ts';
import type { EventLog } from '../log/index.ts';
import type { AgentDirectory } from './agent-directory.ts';
import { problemResponse } from './problem-response.ts';
import { guardRequests, securityHeaders } from './request-guard.ts';
import { staticFiles } from './static-files.ts';
import { threadRoutes } from './thread-routes.ts';

export interface AppOptions {
  readonly log: EventLog;
  readonly control: RunControl;
  readonly agents: AgentDirectory;
  /** The folder of the built page; without it the server has no page. */
  readonly webRoot?: string;
  /** Ends every open event stream. */
  readonly signal?: AbortSignal;
  /** How long an event stream is silent before a comment is sent; 15 s when absent. */
  readonly keepAliveMs?: number;
  /** Told of a thread that is about to be deleted, with the ids of its runs. */
  readonly onDelete?: (threadId: string, runIds: readonly string[]) => Promise<void>;
  /** Told of every failure that is not a `SingletreeError`; prints it when absent. */
  readonly onFailure?: (error: unknown) => void;
}

/** The HTTP interface over a log and the control of its runs. It keeps nothing of its own. */
export function createApp(options: AppOptions): Hono {
  const { control, agents, webRoot, onFailure = error => console.error(error) } = options;
  const { signal = new AbortController().signal, keepAliveMs = 15_000 } = options;
  const app = new Hono();

  app.use(securityHeaders());
  app.use(guardRequests());

  app.get('/healthz', context => context.json({ status: 'ok' }));
  app.use('/api/*', async (context, next) => {
    await next();
    if (!context.res.headers.has('cache-control')) context.res.headers.set('cache-control', 'no-store');
  });
  app.get('/api/agents', context => context.json({ agents: agents.list() }));
  app.route('/api/threads', threadRoutes({ ...options, signal, keepAliveMs }));
  app.post('/api/runs/:runId/abort', async context => {
    await control.abort(context.req.param('runId'));
    return context.json({});
  });
  app.all('/api/*', context => {
    throw new SingletreeError('not_found', `There is no ${context.req.method} ${context.req.path}.`);
  });
  if (webRoot !== undefined) app.get('*', staticFiles(webRoot));

  app.notFound(() => problemResponse(new SingletreeError('not_found', 'There is nothing at this address.')));
  app.onError(error => {
    if (!SingletreeError.is(error)) onFailure(error);
    return problemResponse(error);
  });
  return app;
}
