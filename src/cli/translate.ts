import { open, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import * as z from 'zod';
import { parseJson } from '../base/parse-json.ts';
import { cliAdapters } from '../agents/cli/adapters/cli-adapters.ts';
import {
  endReason,
  readSavedStream,
  type SavedStream,
  type SavedStreamOptions,
} from '../agents/cli/saved/saved-stream.ts';
import type { SavedChunks } from '../agents/cli/saved/saved-lines.ts';
import { printNotice, standardOutput } from '../control/standard-output.ts';
import { defined } from '../base/defined.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { createActivityState, projectActivity } from '../projections/activity/project-activity.ts';
import { listedCommand } from './command-list.ts';

/** Adds `singletree translate`, which converts the output of an external agent to events or activity. */
export function addTranslateCommand(program: Command): void {
  listedCommand(program, 'translate')
    .addArgument(new Argument('<agent>', 'the agent that printed it').choices(Object.keys(cliAdapters)))
    .argument(
      '[file]',
      'the raw output, or the raw.jsonl of a run, whose run.json states its end; standard input when absent or "-"',
    )
    .addOption(new Option('--output <kind>', 'what to print').choices(['events', 'activity']).default('events'))
    .option('--json', 'the default: one JSON value per line')
    .action(async (agent: string, file: string | undefined, { output }: { output: 'events' | 'activity' }) => {
      try {
        const path = file === '-' ? undefined : file;
        const input = path === undefined ? process.stdin : (await open(path)).createReadStream();
        const known = path === undefined ? {} : await readRunDescription(path);
        const count = await translateStream(agent, input, {
          ...known,
          output,
          write: lines => standardOutput.writeJsonLines(lines),
        });
        if (count === undefined || count.lines === 0 || count.understood > 0) return;
        printNotice(notUnderstood(agent, count.lines));
        process.exitCode = 1;
      } catch (cause) {
        if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
        const message = `"${file}" could not be read: ${cause.message}. Expected a file with the saved output of an agent.`;
        throw new SingletreeError('invalid_argument', message, { cause });
      }
    });
}

function notUnderstood(agent: string, lines: number): string {
  const none = lines === 1 ? 'The only line was not' : `None of the ${lines} lines was`;
  const known = Object.keys(cliAdapters).join(', ');
  return `${none} understood as output of ${agent}. Expected what one of these printed, and its name: ${known}.`;
}

interface TranslateOptions extends SavedStreamOptions {
  readonly output: 'events' | 'activity';
  /** Receives whole lines of JSON; returns false to stop. */
  readonly write: (text: string) => Promise<boolean>;
}

/**
 * Translates a stream of raw output incrementally: the result of a line is written before the next one is read. Returns
 * the number of recognized lines; undefined when the receiver stopped early.
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

const description = z.object({
  cwd: z.string().optional(),
  outcome: endReason,
  error: z.string().optional(),
  errorCode: z.string().optional(),
});

/** Reads the folder and end of a run from the `run.json` next to `raw.jsonl`; empty for another file or an open run. */
async function readRunDescription(file: string): Promise<Pick<SavedStreamOptions, 'cwd' | 'end'>> {
  if (basename(file) !== 'raw.jsonl') return {};
  const text = await readFile(join(dirname(file), 'run.json'), 'utf8').catch(() => 'null');
  const { data } = description.safeParse(parseJson(text));
  if (data === undefined) return {};
  const { cwd, outcome: reason, error: message, errorCode: code } = data;
  const error = message === undefined ? undefined : { message, ...defined({ code }) };
  return { end: { reason, ...defined({ error }) }, ...defined({ cwd }) };
}
