import type { Agent, InvokeParams } from '../../agents/contract/agent.ts';
import { environmentFor, type EnvironmentPolicy } from '../../agents/process/environment.ts';
import { BoundedOutput } from '../../agents/workspace/bounded-output.ts';
import { runCommand } from '../../agents/workspace/run-command.ts';
import { errorText } from '../../base/error-text.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';

export interface Preparation {
  readonly command: string;
  readonly folder: string;
  readonly environment: EnvironmentPolicy | undefined;
  /** Called when the command has ended, before the agent begins. */
  readonly done: () => Promise<void>;
}

const timeoutMs = 30 * 60_000;

/**
 * Wraps an agent for its first run in a new worktree: the run begins with the setup command. What the command printed
 * is an event of the run; when it fails, the run has an error that is not fatal, and the agent works all the same.
 */
export function preparedAgent(agent: Agent, preparation: Preparation): Agent {
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
