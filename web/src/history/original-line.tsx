import { useCallback } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { useLoaded } from '../parts/use-loaded.ts';

interface OriginalLineProps {
  readonly client: Client;
  readonly threadId: string;
  readonly runId: string;
  readonly line: number;
}

const mostShown = 20_000;

/** The line of output of an external program from which an event was read. */
export function OriginalLine({ client, threadId, runId, line }: OriginalLineProps) {
  const load = useCallback(async () => {
    // The lines of a program belong to its main run, whose id begins those of its subagents.
    const [raw] = await client.readRawLines(threadId, runId.split('/', 1)[0] ?? runId, { after: line - 1, limit: 1 });
    return { text: raw?.n === line ? (raw.line ?? `base64: ${raw.base64 ?? ''}`) : undefined };
  }, [client, threadId, runId, line]);
  const { value, problem } = useLoaded(load);
  if (problem !== undefined) return <p className="view-note">{problem}</p>;
  if (value === undefined) return <p className="view-note">Loading…</p>;
  if (value.text === undefined) return <p className="view-note">The line is not stored.</p>;
  const { text } = value;
  return (
    <pre className="inspector-line" tabIndex={0}>
      {text.length > mostShown ? `${text.slice(0, mostShown)}… (${text.length - mostShown} more characters)` : text}
    </pre>
  );
}
