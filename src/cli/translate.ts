import { open } from 'node:fs/promises';
import { Argument, type Command, Option } from 'commander';
import { cliAdapters } from '../agents/cli/adapters/index.ts';
import { SingletreeError } from '../events/index.ts';
import { readRunDescription } from './run/run-description.ts';
import { translateStream } from './translate-stream.ts';
import { listedCommand } from './command-list.ts';
import { printNotice, standardOutput } from '../control/standard-output.ts';

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
