import type { ThreadReading } from '../../../src/projections/reading/thread-reading.ts';

interface StatusLineProps {
  readonly waiting: ThreadReading['pending'];
  readonly running: boolean;
  /** The connection problem to show, if any. */
  readonly connection: string | undefined;
  readonly problem: string | undefined;
}

/** The current status in one line: running, waiting or failed. It keeps its height when it is empty. */
export function StatusLine({ waiting: { length: waiting }, running, connection, problem }: StatusLineProps) {
  const [text, tone] =
    problem !== undefined
      ? [problem, 'bad']
      : connection !== undefined
        ? [connection, 'unsure']
        : waiting > 0
          ? [waiting === 1 ? 'Waiting for your answer' : `Waiting for ${waiting} answers of yours`, 'ask']
          : running
            ? ['Working…', 'busy']
            : ['', 'quiet'];
  return (
    <p className="status-line" role="status">
      {text !== '' && <span className="dot" data-tone={tone} />}
      {text}
    </p>
  );
}
