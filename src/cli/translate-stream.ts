import { readSavedStream, type SavedChunks, type SavedStream, type SavedStreamOptions } from '../agents/index.ts';
import { createActivityState, projectActivity } from '../projections/activity/index.ts';

export interface TranslateOptions extends SavedStreamOptions {
  readonly output: 'events' | 'activity';
  /** Receives whole lines of JSON; returns false to stop. */
  readonly write: (text: string) => Promise<boolean>;
}

/**
 * Translates a stream of raw output incrementally: the result of a line is written before the next one is read. Returns
 * how many lines were understood; undefined when the receiver stopped early.
 */
export async function translateStream(
  agent: string,
  input: SavedChunks,
  { output, write, ...known }: TranslateOptions,
): Promise<SavedStream['count'] | undefined> {
  const stream = readSavedStream(agent, input, known);
  const state = createActivityState();
  for await (const event of stream) {
    const values = output === 'events' ? [event] : projectActivity(state, event, stream.lineOf);
    const text = values.map(value => `${JSON.stringify(value)}\n`).join('');
    if (text !== '' && !(await write(text))) return undefined;
  }
  return stream.count;
}
