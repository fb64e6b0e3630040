import type { ChildProcess } from 'node:child_process';

const ladder = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const;

/** Sends a signal to a process group; has no effect when the group has ended. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended already.
  }
}

/** Stops a process group with SIGINT, SIGTERM and SIGKILL in turn. Returns a function that cancels the next signals. */
export function stopGroup(child: ChildProcess, stepMs: number): () => void {
  const timers = ladder
    .slice(1)
    .map((signal, index) => setTimeout(() => signalGroup(child, signal), stepMs * (index + 1)));
  signalGroup(child, ladder[0]);
  return () => timers.forEach(clearTimeout);
}
