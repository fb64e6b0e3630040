import { defined } from '../../base/defined.ts';
import * as z from 'zod';
import { checkAdditions, pickAgent } from '../../control/conversations/sent-message.ts';
import type { Thread } from '../../log/event-log.ts';
import { type AgUiEvent, type AgUiVersion, agUiFraming } from '../../protocols/ag-ui/ag-ui-event.ts';
import { agUiInfo, type AgUiRunBody, agUiRunBody } from '../../protocols/http-ag-ui.ts';
import type { AgUiTurn } from '../ag-ui.ts';
import { findClientThread } from '../chat.ts';
import { type Route, route, threadRoute } from '../route.ts';
import { getAuthor, checkRight } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { frameResponse } from '../streams/frame-stream.ts';
import { requestStream } from '../streams/request-stream.ts';

const tag = 'AG-UI';
const answer = { contentType: 'text/event-stream', description: 'The events of AG-UI' };
const bodyBytes = 16 * 1024 * 1024;
const closing: AgUiEvent = {
  type: 'RUN_ERROR',
  message: 'The server closes. Connect again when it is back: the run continues.',
  code: 'server_closing',
};

/**
 * Creates the routes for AG-UI clients, and for CopilotKit with this server as its `runtimeUrl`. Their thread ids are
 * those of the log. The implementation is loaded with the first request.
 */
export function agUiRoutes(site: Site): Route[] {
  const { conversations } = site;
  const { agents } = site.options;
  return [
    route(tag, 'GET /api/ag-ui/info', {
      right: 'read',
      summary: 'List the agents, as CopilotKit expects them',
      answer: agUiInfo,
      handle: () => {
        const described = agents.list().map(({ id, name, description = '' }) => [id, { name, description }] as const);
        const version = site.options.version ?? '0';
        return { version, agents: Object.fromEntries(described), audioFileTranscriptionEnabled: false };
      },
    }),
    route(tag, 'POST /api/ag-ui/agent/{agentId}/run', {
      right: 'send',
      summary: 'Send a message or answers to interrupts, and stream the run',
      body: agUiRunBody,
      bodyBytes,
      answer,
      handle: async ({ param, body, scope }) => {
        const picked = pickAgent(agents, param('agentId'), body.threadId);
        const { id: agent } = picked;
        const { checkRun, findResults, readAdditions, takeRun } = await import('../ag-ui.ts');
        checkRun(body);
        checkAdditions(picked, readAdditions(body));
        const isAnswer = body.resume !== undefined && body.resume.length > 0;
        if (isAnswer) checkRight(scope, 'approve');
        const find =
          isAnswer || body.messages.at(-1)?.role === 'tool'
            ? site.findToSend(scope, body.threadId)
            : site.findOrCreate(scope, defined({ id: body.threadId, resourceId: scope.resourceId }));
        const thread = await find;
        const book = await conversations.inbox.of(thread);
        const missing = book.pending.length - findResults(book, body).length;
        if (missing > 0 && !isAnswer) return streamEvents(site, [unanswered(missing)]);
        const turn = await takeRun(site, { thread, agent, body, scope });
        return streamRun(site, { thread, body, turn });
      },
    }),
    route(tag, 'POST /api/ag-ui/agent/{agentId}/connect', {
      right: 'read',
      summary: 'Read the messages of a thread, then stream its run when one is under way',
      body: agUiRunBody,
      bodyBytes,
      answer,
      handle: async ({ param, body, scope }) => {
        pickAgent(agents, param('agentId'), body.threadId);
        const thread = await findClientThread(site, scope, body.threadId);
        const { threadId, runId } = body;
        const started: AgUiEvent = { type: 'RUN_STARTED', threadId, runId };
        const finished: AgUiEvent = { type: 'RUN_FINISHED', threadId, runId };
        if (thread === undefined) return streamEvents(site, [started, finished]);
        const { findOpenRun, readSnapshots } = await import('../ag-ui.ts');
        const { state, problem = '' } = await conversations.status(thread);
        const turn = state === 'interrupted' ? undefined : await findOpenRun(site, thread);
        if (turn !== undefined) return streamRun(site, { thread, body, turn, isConnecting: true });
        const { snapshots } = await readSnapshots(site, thread, body);
        return streamEvents(site, [
          started,
          ...snapshots.map(messages => ({ type: 'MESSAGES_SNAPSHOT', messages }) as const),
          { type: 'STATE_SNAPSHOT', snapshot: { seq: thread.seq } },
          state === 'interrupted' ? { type: 'RUN_ERROR', message: problem, code: 'run_interrupted' } : finished,
        ]);
      },
    }),
    threadRoute(tag, 'POST /api/ag-ui/agent/{agentId}/stop/{threadId}', {
      right: 'send',
      summary: 'Stop what runs in a thread',
      answer: z.looseObject({ stopped: z.boolean() }),
      handle: async ({ thread, param, scope }) => {
        pickAgent(agents, param('agentId'), thread.id);
        const stopped = await conversations.abortAll(thread.id, getAuthor(scope));
        return { stopped: stopped.length > 0 };
      },
    }),
  ];
}

interface RunToStream {
  readonly thread: Thread;
  readonly body: AgUiRunBody;
  readonly turn: AgUiTurn;
  /** A client that connects gets the messages before the run; another one only when it lacks some. */
  readonly isConnecting?: boolean;
}

function streamRun(site: Site, { thread, body, turn, isConnecting = false }: RunToStream): Response {
  const { id } = thread;
  const { from, after } = turn;
  return requestStream(site, {
    threadId: id,
    runId: turn.runId,
    framing: agUiFraming,
    cutOff: closing,
    open: async (runId, signal) => {
      const [{ agUiEncoder }, { readSnapshots }] = await Promise.all([
        import('../../protocols/ag-ui/ag-ui-encoder.ts'),
        import('../ag-ui.ts'),
      ]);
      await waitForStart(site, { id, from, runId, signal });
      const { isComplete, snapshots } = await readSnapshots(site, thread, body, runId);
      // A client that resumes has the earlier messages.
      const isNeeded = isConnecting || (after === 0 && !isComplete);
      const encoder = agUiEncoder({
        version: readVersion(body),
        threadId: id,
        runId,
        clientRunId: body.runId,
        after,
        snapshots: isNeeded ? snapshots : [],
        known: new Set(body.messages.map(message => message.id)),
        answered: new Set(body.messages.flatMap(each => (each.role === 'tool' ? [each.toolCallId] : []))),
      });
      return { encoder, from, after, standing: () => encoder.standing, part: () => encoder.interrupt() };
    },
  });
}

/** Resolves when a run has begun in the log; the messages before it are known only then. */
async function waitForStart(
  site: Site,
  { id, from, runId, signal }: { id: string; from: number; runId: string; signal: AbortSignal },
): Promise<void> {
  const types = ['harness_start', 'harness_end'] as const;
  for await (const event of site.options.log.tail(id, from, { types, signal })) if (event.runId === runId) return;
}

function streamEvents(site: Site, events: readonly AgUiEvent[]): Response {
  const { redactor } = site;
  const frames = async function* () {
    for (const event of events) yield agUiFraming.frame(redactor.json(JSON.stringify(event)));
  };
  return frameResponse(site, agUiFraming, frames);
}

/** Clients before 1.0 do not name their version. */
function readVersion({ protocolVersion }: AgUiRunBody): AgUiVersion {
  return protocolVersion === undefined || protocolVersion.startsWith('0.') ? '0.0' : '1.0';
}

function unanswered(count: number): AgUiEvent {
  const what = count === 1 ? 'an answer' : `${count} answers`;
  return {
    type: 'RUN_ERROR',
    message: `The run waits for ${what}. Send "resume" with each; connect to the thread to get what is asked.`,
    code: 'pending_interrupts',
  };
}
