import type { ThreadView } from '../../src/projections/thread-view-tree.ts';

interface StatusLineProps {
  readonly view: ThreadView;
  readonly connected: boolean;
  readonly problem: string | undefined;
}

/** One line about now: whether something runs, waits or went wrong. It keeps its place when it is empty. */
export function StatusLine({ view, connected, problem }: StatusLineProps) {
  const waiting = view.pending.length;
  const [text, tone] =
    problem !== undefined
      ? [problem, 'bad']
      : !connected
        ? ['Connection lost. Trying again…', 'unsure']
        : waiting > 0
          ? [waiting === 1 ? 'Waiting for your answer' : `Waiting for ${waiting} answers of yours`, 'ask']
          : view.running.length > 0
            ? ['Working…', 'busy']
            : ['', 'quiet'];
  return (
    <p className="status-line" role="status">
      {text !== '' && <span className="dot" data-tone={tone} />}
      {text}
    </p>
  );
}
