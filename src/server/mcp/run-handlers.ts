import { checkMode, pickAgent } from '../../control/conversations/sent-message.ts';
import { makeTitle } from '../../control/conversations/title.ts';
import { findCallingThreads, readMarks } from '../../control/supervision/inside-run.ts';
import { addStarter, readStartedBy, type StartedBy } from '../../control/supervision/started-by.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Thread } from '../../log/event-log.ts';
import { describeRun, followRun } from './followed-run.ts';
import type { McpCall, McpToolHandlers } from './mcp-call.ts';

/** How many runs may be around a run that is asked for here: an agent that calls itself ends at it. */
const mostDepth = 3;

/** The tools that list agents, run them, follow, steer and stop runs. */
export const runHandlers: Pick<
  McpToolHandlers,
  'agent_list' | 'agent_run' | 'run_status' | 'run_wait' | 'run_stop' | 'run_send'
> = {
  agent_list: async (_, { site }) => ({
    value: {
      agents: site.options.agents.list().map(({ id, name, description, modes, models }) => ({
        agent: id,
        name,
        ...defined({ description, modes: modes?.map(mode => mode.id), models }),
      })),
    },
  }),
  agent_run: async ({ agent, prompt: content, threadId: id, mode, model, wait: seconds }, call) => {
    const { site, threads, caller, connection } = call;
    const { log, agents } = site.options;
    checkMode(pickAgent(agents, agent), mode);
    const known = id === undefined ? undefined : await threads.findToSend(id, caller);
    const startedBy = await findStarter(call, known);
    const run = await connection.startRun(async () => {
      const thread = known ?? (await log.createThread(newThread(call, agent, content)));
      const { by, trace } = caller;
      const message = { content, agent, by, ...defined({ mode, model, trace }) };
      return site.conversations.start(thread.id, message, { metadata: { startedBy } });
    });
    return { value: await followRun(call, run, { seconds, after: known?.seq ?? 0 }) };
  },
  run_status: async (ids, call) => ({ value: await describeRun(call, await findRun(call, ids)) }),
  run_wait: async ({ wait: seconds, ...ids }, call) => ({
    value: await followRun(call, await findRun(call, ids), { seconds }),
  }),
  run_stop: async (ids, call) => {
    const run = await findRun(call, ids);
    const { resourceId } = call.access.scope;
    await call.site.conversations.abort(run.runId, { by: call.caller.by, resourceId });
    return { value: await describeRun(call, run) };
  },
  run_send: async ({ threadId: id, message: content, delivery }, call) => {
    const { site, threads, caller } = call;
    const thread = await threads.findToSend(id, caller);
    const startedBy = await findStarter(call, thread);
    const agent = await site.conversations.findAgent(thread);
    await site.options.log.updateThread(id, { metadata: { startedBy } });
    const { by, trace } = caller;
    const message = { content, by, ...defined({ agent, delivery, trace }) };
    return { value: { threadId: id, ...(await site.conversations.send(id, message)) } };
  },
};

/** A thread for a run that is asked for here. */
function newThread({ access: { folder: cwd, scope } }: McpCall, agentId: string, content: string) {
  const { resourceId } = scope;
  return { title: makeTitle(content), metadata: { agentId, ...defined({ cwd }) }, ...defined({ resourceId }) };
}

/** Finds a run of a thread that the caller sees; throws `run_not_found`. */
async function findRun({ site, threads }: McpCall, ids: { readonly threadId: string; readonly runId: string }) {
  await site.runs.find(await threads.find(ids.threadId), ids.runId);
  return ids;
}

/** Returns who asks for a run of a thread; throws `request_forbidden` for one that too many runs are around. */
async function findStarter({ site, access, caller }: McpCall, thread: Thread | undefined): Promise<StartedBy> {
  const around = await findCallingThreads(site.options.log, caller, access.scope.resourceId);
  const starter = addStarter(thread && readStartedBy(thread), {
    ids: [access.connection, ...caller.ids],
    threads: around,
    runsAround: readMarks(caller).length,
  });
  if (starter.depth <= mostDepth) return starter;
  throw new SingletreeError(
    'request_forbidden',
    `${starter.depth} runs are around this one, and at most ${mostDepth} may be: agents that run agents end here. Do the work yourself, or let a person start the run.`,
  );
}
