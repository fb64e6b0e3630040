import { workspace } from '../../agents/workspace/workspace-folder.ts';
import { oneLine } from '../../projections/presentation/present-call.ts';
import type { ChatApp } from './chat-app.ts';

/** The most lines of an output that are printed. */
const mostLines = 50;

/** Runs the shell lines of the person, one at a time. */
export class PersonShell {
  readonly #app: ChatApp;
  #running: AbortController | undefined;

  constructor(app: ChatApp) {
    this.#app = app;
  }

  /** Runs a line; unless it is private, the model reads the line and its output. */
  async run(line: string, isPrivate: boolean): Promise<void> {
    const app = this.#app;
    this.#running = new AbortController();
    app.notice = `running ${oneLine(line, 40)}: Esc stops it`;
    try {
      const end = await runShellLine(line, app.options.cwd, this.#running.signal);
      const status = end.exitCode === 0 ? '' : `\n[exit code ${end.exitCode}]`;
      if (isPrivate)
        return app.note(`$ ${line}\n${excerpt(end.output)}${status}`, end.exitCode === 0 ? 'info' : 'warning');
      const threadId = await app.ensureThread(line);
      const reminder = { message: shellLineContext(line, end), reminderType: 'shell' };
      await app.threads.conversations.remind(threadId, app.threads.agent.id, reminder);
    } finally {
      this.#running = undefined;
      app.notice = undefined;
    }
  }

  /** Stops the line that runs; false when none does. */
  stop(): boolean {
    this.#running?.abort(new Error('You stopped the shell line.'));
    return this.#running !== undefined;
  }
}

/** The beginning and the end of a long output. */
function excerpt(output: string): string {
  const lines = output.trimEnd().split('\n');
  if (lines.length <= mostLines) return lines.join('\n');
  const half = mostLines / 2;
  return [...lines.slice(0, half), `… ${lines.length - mostLines} lines …`, ...lines.slice(-half)].join('\n');
}

/** The end of a shell line that a person ran. */
interface ShellLineEnd {
  readonly output: string;
  readonly exitCode: number;
}

const mostOutput = 30_000;
const longestMs = 600_000;

/** Runs a line of the person with a shell in a folder; the output is cut in the middle when it is long. */
export async function runShellLine(line: string, folder: string, signal: AbortSignal): Promise<ShellLineEnd> {
  const decoder = new TextDecoder();
  let output = '';
  let cut = 0;
  const { exitCode } = await workspace(folder, { env: definedVariables() }).run({
    command: line,
    signal,
    timeoutMs: longestMs,
    onOutput: chunk => {
      output += decoder.decode(chunk, { stream: true });
      if (output.length <= mostOutput * 2) return;
      cut += output.length - mostOutput;
      output = output.slice(0, mostOutput / 2) + output.slice(-mostOutput / 2);
    },
  });
  return { output: cut === 0 ? output : `${output}\n[${cut} characters were left out]`, exitCode };
}

/** Returns the line and its output as the model reads them. */
export function shellLineContext(line: string, { output, exitCode }: ShellLineEnd): string {
  const status = exitCode === 0 ? '' : `\n[exit code ${exitCode}]`;
  return `$ ${line}\n${output.trimEnd()}${status}`;
}

/** The person runs their own line with their own environment. */
function definedVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
