import { cliAdapters } from '../../agents/cli/adapters/cli-adapters.ts';
import { notInstalled } from '../../agents/cli/agent/failure-hint.ts';
import { Conversations } from '../../control/conversations/conversations.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import { Worktrees } from '../../control/worktrees/worktrees.ts';
import { type ComparedRun, startComparison } from '../../control/worktrees/comparison.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { createActivityState, projectActivity } from '../../projections/activity/project-activity.ts';
import { ComparisonScreen } from './comparison-screen.ts';
import { installedAgents } from '../agents/installed-agents.ts';
import { withoutModel } from '../coder.ts';
import { abortRun, withoutAnswers } from '../run/run-agent.ts';
import { RunTotals } from '../run/run-totals.ts';
import { type DiagnosticsOptions, openSite, type ThreadCommandOptions } from '../settings/site.ts';
import { readCallerTrace } from '../settings/telemetry.ts';
import { loadSettings } from '../settings/settings.ts';
import { tableLines, writeProse } from '../print.ts';
import { shortIds } from '../threads/find-thread.ts';
import { durationText } from '../../projections/presentation/wording.ts';
import { costText } from '../../terminal/rows/part-rows.ts';
import { standardOutput } from '../../control/standard-output.ts';

export interface CompareOptions extends ThreadCommandOptions, DiagnosticsOptions {
  readonly agents: readonly { readonly agent: string; readonly model?: string }[];
  readonly cwd: string;
  readonly branch?: string;
  readonly uncommitted: boolean;
  readonly yolo?: boolean;
}

/** `singletree compare`: runs the agents, prints each result and how to keep one; returns the exit code. */
export async function compareCommand(prompt: string, options: CompareOptions): Promise<number> {
  const { yolo = false, json = false, branch, uncommitted } = options;
  const settings = await loadSettings(options.cwd);
  const config = yolo ? { ...settings.config, permissions: { default: 'allow' as const, rules: [] } } : settings.config;
  const { cwd, home } = settings;
  const site = await openSite(settings, options);
  const { log } = site;
  const agents = await installedAgents({ ...settings, config, yolo });
  const control = new Supervisor({ ...site.supervision, agents: agents.all });
  const conversations = new Conversations({ log, control, agents });
  const worktrees = new Worktrees({
    home,
    folder: cwd,
    environment: settings.environment,
    ...defined({ setup: config.worktree?.setup }),
  });
  let hasStopped = false;
  let screen: ComparisonScreen | undefined;
  const hasPerson = process.stdin.isTTY && standardOutput.isTerminal;
  try {
    const competitors = options.agents.map(({ agent: id, model }) => {
      const agent = agents.get(id);
      if (agent === undefined) throw missingAgent(id, agents);
      return { agent: hasPerson ? agent : withoutAnswers(agent), model };
    });
    const labels = options.agents.map(({ agent, model }) => (model === undefined ? agent : `${agent}@${model}`));
    const runs = await startComparison(
      { log, control, worktrees },
      { content: prompt, agents: competitors, branch, uncommitted, ...defined({ trace: readCallerTrace() }) },
    );
    const stop = () => {
      hasStopped = true;
      screen?.interrupt();
      for (const { run } of runs)
        if (run !== undefined) void abortRun(conversations, run, site.supervision.onDiagnostic);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
    if (!json) await writeProse(startLines(runs));
    if (!json && hasPerson) {
      const shown = new ComparisonScreen(conversations, stop);
      screen = shown;
      await Promise.all(runs.map((run, at) => shown.follow(log, run, labels[at] ?? run.agentId)));
      shown.close();
    }
    const results = await Promise.all(runs.map(run => readResult(log, worktrees, run)));
    if (json) for (const result of results) await standardOutput.writeJson(result);
    else await writeProse(['', ...resultTable(results), '', ...advice(results)]);
    if (hasStopped) return 130;
    return results.every(({ outcome }) => outcome === 'complete') ? 0 : 1;
  } finally {
    screen?.close();
    await control.close();
    await agents.close();
    await site.close();
  }
}

/** Names the command that installs an external agent, or the agents that can be used. */
function missingAgent(id: string, { all }: Awaited<ReturnType<typeof installedAgents>>): SingletreeError {
  const adapter = cliAdapters[id];
  const available = `Available: ${all.map(each => each.id).join(', ')}.`;
  const why = adapter === undefined ? `There is no agent "${id}" here.` : notInstalled(adapter);
  if (id === 'coder') return new SingletreeError('missing_api_key', withoutModel);
  return new SingletreeError('agent_not_found', `${why} ${available}`);
}

function startLines(runs: readonly ComparedRun[]): string[] {
  const ids = shortIds(runs.map(({ threadId }) => threadId));
  return runs.map(({ agentId, threadId, worktree, note, problem }) => {
    if (problem !== undefined) return `${agentId}: not started: ${problem}`;
    const place = worktree === undefined ? note : `branch ${worktree.branch}`;
    return `${agentId}: thread ${ids.get(threadId)}${place === undefined ? '' : `, ${place}`}`;
  });
}

interface Result {
  readonly agentId: string;
  readonly threadId: string;
  readonly outcome: string;
  readonly milliseconds: number;
  readonly files: readonly string[];
  readonly added?: number;
  readonly removed?: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost?: number | undefined;
  readonly worktree?: string | undefined;
  readonly folder?: string | undefined;
  readonly branch?: string | undefined;
  readonly error?: string | undefined;
  readonly denied: readonly string[];
}

async function readResult(log: EventLog, worktrees: Worktrees, compared: ComparedRun): Promise<Result> {
  const { agentId, threadId, run, worktree, problem } = compared;
  const outcome = (await run?.done) ?? 'not started';
  const totals = new RunTotals();
  const state = createActivityState();
  const times: number[] = [];
  for await (const event of readEvents(log, threadId)) {
    totals.add(event);
    times.push(Date.parse(event.ts));
    for (const activity of projectActivity(state, event)) totals.addActivity(activity);
  }
  const changes = worktree === undefined ? undefined : (await worktrees.state(worktree)).files;
  const sum = (count: 'added' | 'removed') => changes?.reduce((all, file) => all + (file[count] ?? 0), 0);
  const { inputTokens, outputTokens, cost } = totals.usage;
  return {
    agentId,
    threadId,
    outcome,
    milliseconds: (times.at(-1) ?? 0) - (times[0] ?? 0),
    files: changes?.map(({ path }) => path) ?? totals.filesChanged,
    inputTokens,
    outputTokens,
    denied: totals.denied,
    ...defined({
      added: sum('added'),
      removed: sum('removed'),
      cost,
      worktree: worktree?.name,
      folder: worktree?.folder,
      branch: worktree?.branch,
      error: problem ?? totals.error,
    }),
  };
}

function resultTable(results: readonly Result[]): string[] {
  const head = ['agent', 'state', 'time', 'files', 'lines', 'tokens in/out', 'cost', 'worktree'];
  const rows = results.map(result => [
    result.agentId,
    result.outcome,
    durationText(result.milliseconds),
    String(result.files.length),
    result.added === undefined ? '–' : `+${result.added} −${result.removed ?? 0}`,
    `${result.inputTokens}/${result.outputTokens}`,
    result.cost === undefined ? '–' : `≈ ${costText(result.cost)}`,
    result.worktree ?? '–',
  ]);
  return tableLines([head, ...rows]);
}

/** Returns the problems of the results and the commands that show and keep one. */
function advice(results: readonly Result[]): string[] {
  const problems = results.flatMap(({ agentId, error, denied }) => [
    ...(error === undefined ? [] : [`${agentId}: ${error}`]),
    ...(denied.length === 0
      ? []
      : [`${agentId} was not allowed: ${denied.join(', ')}. Allow it in the configuration, or use --yolo.`]),
  ]);
  const [first] = results.filter(({ worktree, files }) => worktree !== undefined && files.length > 0);
  const paths = results.flatMap(({ agentId, folder }) => (folder === undefined ? [] : [`${agentId}: ${folder}`]));
  if (first === undefined) return [...problems, ...paths];
  return [
    ...problems,
    ...paths,
    `Keep one:      singletree worktrees keep ${first.worktree}`,
    'Remove others: singletree worktrees remove NAME --force',
    `See the steps: singletree show ${shortIds(results.map(({ threadId }) => threadId)).get(first.threadId)}`,
  ];
}
