import type { CliAdapter } from '../agents/cli/contract/cli-adapter.ts';
import { type LinePiece, LineReader, lineText } from '../agents/cli/agent/line-reader.ts';
import { RunTranslation } from '../agents/cli/agent/run-translation.ts';
import { type AgentEvent, newId } from '../events/index.ts';
import { createActivityState, projectActivity } from '../projections/activity/index.ts';

export interface TranslateOptions {
  readonly output: 'events' | 'activity';
  /** Receives whole lines of JSON; returns false to stop. */
  readonly write: (text: string) => Promise<boolean>;
}

/** The number of non-blank lines, and of those that did not become `unknown`. */
export interface LineCount {
  readonly lines: number;
  readonly understood: number;
}

/**
 * Translates a stream of raw output incrementally: the result of a line is written before the next one is read. Returns
 * how many lines were understood; undefined when the receiver stopped early.
 */
export async function translateStream(
  adapter: CliAdapter,
  input: AsyncIterable<unknown>,
  { output, write }: TranslateOptions,
): Promise<LineCount | undefined> {
  const runId = newId();
  const translator = adapter.translator({ runId });
  const run = new RunTranslation({ runId, agentId: adapter.id, translator, now: () => new Date().toISOString() });
  const state = createActivityState();
  let current = { number: 0, text: '' };
  const count = { lines: 0, understood: 0 };
  const lineOf = (line: number) => (line === current.number ? parsed(current.text) : undefined);
  const print = (events: readonly AgentEvent[]): Promise<boolean> => {
    const values = output === 'events' ? events : events.flatMap(event => projectActivity(state, event, lineOf));
    return write(values.map(value => `${JSON.stringify(value)}\n`).join(''));
  };
  const take = ({ kind, bytes }: LinePiece): AgentEvent[] => {
    if (kind === 'rest') return [];
    current = { number: current.number + 1, text: kind === 'line' ? lineText(bytes) : '' };
    const events =
      kind === 'line'
        ? run.line('stdout', current.text, current.number)
        : run.longLine('stdout', lineText(bytes.subarray(0, 4096)), current.number);
    if (kind === 'long' || current.text.trim() !== '') {
      count.lines++;
      if (!events.some(event => event.type === 'unknown')) count.understood++;
    }
    return events;
  };
  const reader = new LineReader();
  await print(run.start());
  for await (const chunk of input)
    for (const piece of reader.push(chunk as Uint8Array)) if (!(await print(take(piece)))) return undefined;
  for (const piece of reader.end()) await print(take(piece));
  await print(run.end({ isCut: !translator.finished }));
  return count;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
