import type { ChatOptions } from './chat-options.ts';

/** The handlers for the end and the suspension of the process. */
export interface ExitHandlers {
  /** Ends the chat with an exit code. */
  readonly end: (code: number) => void;
  /** Ends the chat because of an error that nothing caught. */
  readonly fail: (error: unknown) => void;
  /** Suspends the chat as Ctrl+Z does. */
  readonly suspend: () => void;
}

/** The exit codes of signals that end a process, as shells report them. */
const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Returns what the thread of a run shows when its terminal was closed; `command` resumes it. */
export function closedTerminal(command: string): string {
  return `The terminal was closed before the end of the run. To resume it: ${command}`;
}

/** Returns what the threads of a chat show that ends with an exit code; undefined unless its terminal was closed. */
export function closingReason(code: number, { resumeCommand }: Pick<ChatOptions, 'resumeCommand'>) {
  if (code !== signals.SIGHUP) return undefined;
  return (threadId: string, agentId: string) => closedTerminal(resumeCommand(threadId, agentId));
}

/**
 * Handles every way in which the process can be ended or suspended from outside. Returns a function that removes the
 * handlers.
 */
export function handleExits({ end, fail, suspend }: ExitHandlers): () => void {
  const release = handleEnd(end);
  const failed = (error: unknown) => (isTerminalGone(error) ? end(signals.SIGHUP) : fail(error));
  process.on('SIGTSTP', suspend).on('uncaughtException', failed).on('unhandledRejection', failed);
  return () => {
    release();
    process.off('SIGTSTP', suspend).off('uncaughtException', failed).off('unhandledRejection', failed);
  };
}

/** Calls `end` with the exit code of a signal that ends the process. Returns a function that removes the handlers. */
export function handleEnd(end: (code: number) => void): () => void {
  const listeners = Object.entries(signals).map(([signal, code]) => [signal, () => end(code)] as const);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

/**
 * Stops this process and those of its group, as the shell expects it; `resumed` is called when it continues, or soon
 * when nothing stopped it, because it has no shell that could continue it.
 */
export function stopProcess(suspend: () => void, resumed: () => void): void {
  let isResumed = false;
  const resume = () => {
    if (isResumed) return;
    isResumed = true;
    clearTimeout(timer);
    process.off('SIGCONT', resume).on('SIGTSTP', suspend);
    resumed();
  };
  // The default action of the signal suspends the process.
  process.off('SIGTSTP', suspend).on('SIGCONT', resume);
  const timer = setTimeout(resume, stopPauseMs);
  process.kill(0, 'SIGTSTP');
}

/** How long after the signal a process that still runs was not stopped, in milliseconds. */
const stopPauseMs = 300;

/** Whether writing or reading failed because the terminal was closed. */
function isTerminalGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EIO' || error.code === 'EPIPE');
}
