import { lineText } from '../../process/line-reader.ts';
import { ProcessRun } from '../../process/run-process.ts';

export interface ProgramCall {
  readonly executable: string;
  readonly args: readonly string[];
  /** The input for stdin, which stays open until the output matches `isDone` or `hasFailed`. Default: closed stdin. */
  readonly conversation?: { readonly input: string; readonly isDone: RegExp; readonly hasFailed: RegExp } | undefined;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly runMark?: string | undefined;
}

/** How long a program may take: some start slowly, and migrate their database first. */
const timeoutMs = 120_000;

/** Runs a program to its end; returns what it printed, and the reason when it failed. */
export async function runToEnd(call: ProgramCall): Promise<{ readonly output: string; readonly problem?: string }> {
  const { executable: command, args, conversation, cwd, environment: env, signal, runMark } = call;
  let output = '';
  const hasFailed = () => conversation?.hasFailed.test(output) === true;
  const run = new ProcessRun({
    command,
    args,
    cwd,
    env,
    signal,
    runMark,
    timeoutMs,
    settleMs: 0,
    stopStepMs: 600,
    isInteractive: conversation !== undefined,
    isFinished: () => conversation?.isDone.test(output) === true || hasFailed(),
  });
  try {
    if (conversation !== undefined) await run.send(conversation.input);
    for (let line = await run.next(); line !== undefined; line = await run.next())
      output += `${lineText(line.bytes)}\n`;
    const { failedToStart, stopped, exitCode } = await run.exit;
    if (exitCode === 0 && !hasFailed()) return { output };
    const problem = failedToStart?.message ?? stopped?.message ?? (output.trim() || `exit code ${exitCode}`);
    return { output, problem };
  } finally {
    await run.dispose();
  }
}
