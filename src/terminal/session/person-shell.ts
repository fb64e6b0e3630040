import { oneLine } from '../../projections/presentation/present-call.ts';
import type { ChatApp } from './chat-app.ts';
import { runShellLine, shellLineContext } from './shell-line.ts';

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
