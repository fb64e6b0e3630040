import type { Agent, InvokeParams } from '../../agents/contract/agent.ts';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';
import { makeTitle } from '../conversations/thread-titles.ts';
import type { RunControl, RunHandle, StartOptions, ThreadFolder } from '../supervision/run-control.ts';
import { checkBranchPrefix, type WorktreeRecord } from './worktree-record.ts';
import type { Worktrees } from './worktrees.ts';
import { environmentFor, type EnvironmentPolicy } from '../../agents/process/environment.ts';
import { BoundedOutput } from '../../agents/workspace/bounded-output.ts';
import { runCommand } from '../../agents/workspace/run-command.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';

export interface ComparisonOptions {
  readonly log: EventLog;
  readonly control: Pick<RunControl, 'start'>;
  /** Without it all agents work in their own folder. */
  readonly worktrees?: Worktrees | undefined;
}

/** An agent that is compared, perhaps with another model than its own. */
export interface Competitor {
  readonly agent: Agent;
  readonly model?: string | undefined;
}

export interface ComparisonRequest extends Pick<StartOptions, 'content' | 'by' | 'trace'> {
  readonly agents: readonly Competitor[];
  readonly resourceId?: string | undefined;
  /** The beginning of the branches. */
  readonly branch?: string | undefined;
  /** Whether the worktrees begin with the uncommitted changes of the folder. */
  readonly uncommitted?: boolean | undefined;
}

/** One of the runs that are compared; without a run it has a problem. */
export interface ComparedRun {
  readonly threadId: string;
  readonly agentId: string;
  readonly run?: RunHandle;
  readonly worktree?: WorktreeRecord;
  /** Why it works in the shared folder. */
  readonly note?: string;
  readonly problem?: string;
}

const most = 6;

/**
 * Starts several agents with the same request, each in a separate thread and, if the folder is in a git repository, in
 * a separate worktree. An agent that cannot start does not stop the others. Throws `invalid_argument` for fewer than
 * two or too many agents, and for an invalid branch name.
 */
export async function startComparison(
  options: ComparisonOptions,
  request: ComparisonRequest,
): Promise<readonly ComparedRun[]> {
  const { agents } = request;
  if (agents.length < 2 || agents.length > most)
    throw new SingletreeError(
      'invalid_argument',
      `Name two to ${most} agents to compare; ${agents.length} were named.`,
    );
  if (request.branch !== undefined) checkBranchPrefix(request.branch);
  const comparison = newId();
  const runs: ComparedRun[] = [];
  for (const competitor of agents) runs.push(await startOne(options, { ...request, ...competitor, comparison }));
  return runs;
}

async function startOne(
  { log, control, worktrees }: ComparisonOptions,
  request: ComparisonRequest & Competitor & { readonly comparison: string },
): Promise<ComparedRun> {
  const { agent, model, content, by, trace, comparison, resourceId } = request;
  const { id: threadId } = await log.createThread({
    title: makeTitle(content),
    metadata: { comparison, agentId: agent.id },
    ...defined({ resourceId }),
  });
  const known = { threadId, agentId: agent.id };
  let place: WorktreePlace = {};
  try {
    place = worktrees === undefined ? {} : await makePlace(worktrees, threadId, request);
    const run = await control.start(threadId, {
      agent: place.agent ?? agent,
      content,
      ...defined({ by, model, trace, folder: place.folder }),
    });
    return { ...known, run, ...defined({ worktree: place.worktree, note: place.folder?.note }) };
  } catch (error) {
    // The first error is the one to report; `singletree worktrees` lists a worktree that could not be removed.
    if (place.worktree !== undefined) await worktrees?.remove(place.worktree).catch(() => {});
    const problem = errorText(error);
    await log.append(threadId, [
      { type: 'user', runId: newId(), content: typeof content === 'string' ? content : [...content] },
      { type: 'error', runId: newId(), message: `${agent.id} was not started: ${problem}`, code: 'not_started' },
    ]);
    return { ...known, problem };
  }
}

/** The place where a thread works: its worktree, or the shared folder with a note that says why. */
export interface WorktreePlace {
  readonly folder?: ThreadFolder;
  readonly worktree?: WorktreeRecord;
  /** The agent with the setup of its worktree. */
  readonly agent?: Agent;
}

export interface PlaceRequest {
  readonly agent: Agent;
  /** The beginning of its branch. */
  readonly branch?: string | undefined;
  /** Whether it begins with the uncommitted changes of the folder. */
  readonly uncommitted?: boolean | undefined;
}

/** Makes a worktree for the agent of a thread. */
export async function makePlace(
  worktrees: Worktrees,
  threadId: string,
  { agent, branch, uncommitted }: PlaceRequest,
): Promise<WorktreePlace> {
  const { folder, setup, environment } = worktrees;
  if (agent.abilities?.usesFolder !== true)
    return { folder: { folder, note: `${agent.id} cannot work in a worktree: it uses its own folder` } };
  const made = await worktrees.create({ threadId, agentId: agent.id, ...defined({ branch, uncommitted }) });
  if ('problem' in made)
    return {
      folder: { folder, note: `${made.problem}: all agents work in the same folder and see each other's changes` },
    };
  const { folder: own, origin, branch: name, head } = made;
  return {
    folder: { folder: own, worktree: { origin, branch: name, head, ...defined({ setup }) } },
    worktree: made,
    ...(setup !== undefined && {
      agent: preparedAgent(agent, { command: setup, folder: own, environment, done: () => worktrees.begin(made) }),
    }),
  };
}

export interface Preparation {
  readonly command: string;
  readonly folder: string;
  readonly environment: EnvironmentPolicy | undefined;
  /** Called when the command has ended, before the agent begins. */
  readonly done: () => Promise<void>;
}

const timeoutMs = 30 * 60_000;

/**
 * Wraps an agent for its first run in a new worktree: the run starts with the setup command. The output of the command
 * is an event of the run; if it fails, the run gets a non-fatal error and the agent continues.
 */
function preparedAgent(agent: Agent, preparation: Preparation): Agent {
  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    let isDue = params.run.resume === undefined;
    for await (const event of agent.invoke(params)) {
      yield event;
      if (!isDue || event.type !== 'harness_start' || event.runId !== params.run.runId) continue;
      isDue = false;
      yield* prepare(params, preparation);
    }
  }
  return { ...agent, invoke };
}

async function* prepare(
  { run: { runId, signal }, host: { runMark } }: InvokeParams,
  { command, folder, environment, done }: Preparation,
): AsyncGenerator<AgentEvent> {
  const output = new BoundedOutput(4_000, 12_000);
  const env = environmentFor(process.env, { policy: environment });
  try {
    const { exitCode, timedOut } = await runCommand({
      command,
      cwd: folder,
      env,
      signal,
      timeoutMs,
      runMark,
      onOutput: chunk => output.push(chunk),
    });
    yield { type: 'custom', runId, name: 'setup', data: { command, exitCode, output: output.text() } };
    if (exitCode !== 0)
      yield failure(runId, `${command} ${timedOut ? 'took too long' : `ended with code ${exitCode}`}`, output);
    await done();
  } catch (error) {
    if (!signal.aborted) yield failure(runId, `${command}: ${errorText(error)}`, output);
  }
}

function failure(runId: string, problem: string, output: BoundedOutput): AgentEvent {
  const end = output.last(2_000).trim();
  const message = `The setup of the worktree failed: ${problem}. The agent works without it.${end === '' ? '' : `\n${end}`}`;
  return { type: 'error', runId, message, code: 'setup_failed' };
}
