import type { Agent } from '../../agents/contract/agent.ts';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';
import { makeTitle } from '../conversations/thread-titles.ts';
import type { RunControl, RunHandle, StartOptions, ThreadFolder } from '../supervision/run-control.ts';
import { checkBranchPrefix, type WorktreeRecord } from './worktree-record.ts';
import type { Worktrees } from './worktrees.ts';
import { preparedAgent } from './prepared-agent.ts';

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
  /** Why it works in the same folder as others. */
  readonly note?: string;
  readonly problem?: string;
}

const most = 6;

/**
 * Starts several agents with one request, each in a thread of its own and, where the folder is in a git repository, in a
 * worktree of its own. An agent that cannot start does not stop the others. Throws `invalid_argument` for fewer than two
 * agents, and for a branch name that is no plain one.
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
    // The first error is the one to report; `singletree worktrees` lists what is left.
    if (place.worktree !== undefined) await worktrees?.remove(place.worktree).catch(() => {});
    const problem = errorText(error);
    await log.append(threadId, [
      { type: 'user', runId: newId(), content: typeof content === 'string' ? content : [...content] },
      { type: 'error', runId: newId(), message: `${agent.id} was not started: ${problem}`, code: 'not_started' },
    ]);
    return { ...known, problem };
  }
}

/** Where a thread works: in a worktree of its own, or in the folder of all with a note that says why. */
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
