import type { ChildProcess } from 'node:child_process';

const ladder = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const;

/** Sends a signal to a process and everything it started; nothing happens when they are gone. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}

/** Asks a process group to stop, more firmly each time: SIGINT, SIGTERM, SIGKILL. Returns how to call it off. */
export function stopGroup(child: ChildProcess, stepMs: number): () => void {
  const timers = ladder
    .slice(1)
    .map((signal, index) => setTimeout(() => signalGroup(child, signal), stepMs * (index + 1)));
  signalGroup(child, ladder[0]);
  return () => timers.forEach(clearTimeout);
}
