import { defined } from '../events/defined.ts';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parsePermissionRules, type PermissionRuleSet } from '../agents/permissions/index.ts';
import type { RunOutcome } from '../control/index.ts';
import { errorText } from '../events/index.ts';
import { TerminalPerson } from './asking/terminal-person.ts';
import { processTerminal, type Terminal } from './asking/terminal.ts';
import { duration } from './duration.ts';
import { folder, folderToWrite } from './folder.ts';
import { writeOut } from './output.ts';
import { runAgent, type RunWatcher, runsFolder } from './run-agent.ts';
import { PrettyRun } from './run-pretty.ts';
import type { RunTotals } from './run-totals.ts';
import { type RunnableAgent, runnableAgent } from './runnable-agent.ts';
import { loadSettings } from './settings.ts';
import { addStoreOptions, isNewFile, openStoreOf, type StoreOptions } from './store-options.ts';
import { listedCommand } from './command-list.ts';
import { threadNotFound } from './threads/find-thread.ts';

type Output = 'pretty' | 'events' | 'activity' | 'raw';

interface RunOptions extends StoreOptions {
  readonly model?: string;
  readonly cwd?: string;
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly resume?: string;
  readonly out?: string;
  readonly output?: Output;
  readonly env?: Record<string, string>;
  readonly yolo?: boolean;
  readonly print?: boolean;
  readonly permissions?: PermissionRuleSet;
  readonly mode?: string;
}

/** Adds `singletree run`, which runs an agent, shows its activity and records it. */
export function addRunCommand(program: Command): void {
  const command = listedCommand(program, 'run');
  addStoreOptions(command)
    .argument('<agent>', 'coder, an external agent such as claude or codex, acp, demo, or one of your configuration')
    .argument('<prompt>', 'the prompt, in quotes; "-" reads it from standard input')
    .argument('[flags...]', 'after --: further flags for the agent itself')
    .option('--model <model>', 'the model to use, as the agent names it', notEmpty)
    .option('--cwd <folder>', 'the working directory', folder)
    .option('--timeout <time>', 'the time limit of the run, such as 10m', duration)
    .option('--idle-timeout <time>', 'the time limit without output, such as 5m', duration)
    .option('--resume <thread>', 'continue a thread: its id, the beginning of its id, or "last"')
    .option('--out <folder>', 'the folder for the record of the run', folderToWrite)
    .addOption(
      new Option('--output <kind>', 'the output format; pretty on a terminal, else events').choices([
        'pretty',
        'events',
        'activity',
        'raw',
      ]),
    )
    .option('--env <name=value>', 'a variable for the agent; NAME alone passes yours (repeatable)', variable)
    .option('--mode <mode>', 'the mode of the agent, such as plan', notEmpty)
    .option('--permissions <file>', 'a JSON file with permission rules: what runs without asking', permissionFile)
    .option('--print', 'run the agent once without its interactive channel: it asks nothing')
    .option('--yolo', 'let the agent do everything without asking')
    .action(async (agent: string, given: string, flags: string[], options: RunOptions, command: Command) => {
      const unquoted = flags.slice(0, Math.max(0, flags.length - countAfterDashes(process.argv)));
      if (unquoted.length > 0) command.error(severalWords(agent, [given, ...unquoted]));
      const prompt = given === '-' ? (await readAll(process.stdin)).trimEnd() : given;
      if (prompt.trim() === '') command.error(emptyPrompt);
      process.exitCode = await run(agent, prompt, flags, options);
    });
}

const emptyPrompt =
  'error: the prompt is empty. Expected the prompt for the agent, in quotes, or "-" and the prompt on standard input.';

function severalWords(agent: string, words: readonly string[]): string {
  const quoted = `singletree run ${agent} ${JSON.stringify(words.join(' '))}`;
  return `error: the prompt is one argument: put it in quotes, as in ${quoted}. Arguments for ${agent} itself go after --, at the end.`;
}

function countAfterDashes(args: readonly string[]): number {
  const dashes = args.indexOf('--');
  return dashes < 0 ? 0 : args.length - dashes - 1;
}

async function run(name: string, prompt: string, extraArgs: string[], options: RunOptions): Promise<number> {
  const hasPerson = process.stdin.isTTY && process.stdout.isTTY;
  const settings = await loadSettings(options.cwd ?? '.');
  const { timeout: timeoutMs, idleTimeout: idleTimeoutMs } = options;
  const agent = await runnableAgent(name, settings, { ...options, timeoutMs, idleTimeoutMs, hasPerson, extraArgs });
  if (options.resume !== undefined && isNewFile(options)) throw threadNotFound(options.resume);
  const stop = new AbortController();
  let person: TerminalPerson | undefined;
  const interrupt = () => {
    person?.interrupt();
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  const log = await openStoreOf(options, settings.config);
  const output = options.output ?? (process.stdout.isTTY ? 'pretty' : 'events');
  const screen = { write: (text: string) => void process.stdout.write(text), isLive: process.stdout.isTTY };
  let pretty: PrettyRun | undefined;
  const watcher = watcherFor(output, () => pretty);
  if (output === 'pretty') watcher.started = runId => (pretty = new PrettyRun(screen, { runId, cwd: settings.cwd }));
  if (hasPerson && agent.isInteractive) person = askAt(processTerminal(interrupt), watcher, () => pretty);
  try {
    const report = await runAgent(
      {
        log,
        agent,
        cwd: settings.cwd,
        prompt,
        ...defined({ threadId: options.resume }),
        folderOf: runId => (options.out === undefined ? runsFolder(settings.home, runId) : resolve(options.out)),
        signal: stop.signal,
        hasPerson,
      },
      watcher,
    );
    pretty?.end(report.outcome, report.milliseconds, report.totals);
    const advice = deniedAdvice(agent, report.totals);
    const kept = `thread ${report.threadId}\nrecord ${report.folder}\n`;
    if (output === 'pretty') screen.write(`${advice === undefined ? '' : `${advice}\n`}${kept}`);
    else {
      if (report.totals.error !== undefined) console.error(`singletree: ${report.totals.error}`);
      if (advice !== undefined) console.error(`singletree: denied: ${report.totals.denied.join(', ')}. ${advice}`);
      process.stderr.write(kept);
    }
    // Nobody was asked: what was denied is not done.
    return exitCode(report.outcome) || (!hasPerson && report.totals.denied.length > 0 ? 1 : 0);
  } finally {
    person?.close();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, interrupt);
    await agent.close();
    await log.close();
  }
}

/** Asks the person at the terminal what the run asks. */
function askAt(terminal: Terminal, watcher: RunWatcher, pretty: () => PrettyRun | undefined): TerminalPerson {
  const answers = new Map<string, Parameters<NonNullable<RunWatcher['asked']>>[1]>();
  const person = new TerminalPerson(terminal, async (relay, answer) => {
    await answers.get(relay.id)?.(answer);
  });
  watcher.asked = (relay, answer) => {
    answers.set(relay.id, answer);
    pretty()?.pause(true);
    person.ask(relay);
  };
  watcher.resolved = relayId => {
    answers.delete(relayId);
    person.resolved(relayId);
    if (answers.size === 0) pretty()?.pause(false);
  };
  return person;
}

/** Returns what to do when something was denied; undefined when nothing was, or the error contains it. */
function deniedAdvice({ advice }: RunnableAgent, { denied, error }: RunTotals): string | undefined {
  return denied.length === 0 || error?.includes(advice) === true ? undefined : advice;
}

function watcherFor(output: Output, pretty: () => PrettyRun | undefined): RunWatcher {
  const print = (value: unknown) => writeOut(`${JSON.stringify(value)}\n`);
  const watchers: Record<Output, RunWatcher> = {
    events: { event: print },
    activity: { activity: print },
    raw: { raw: async ({ stream, line }) => void (stream === 'stdout' && (await writeOut(line))) },
    pretty: {
      event: event => Promise.resolve(pretty()?.event(event)),
      activity: activity => Promise.resolve(pretty()?.activity(activity)),
    },
  };
  return watchers[output];
}

/** Returns the exit code: 0 when it completed, 124 after a timeout, 130 when it was interrupted, else 1. */
function exitCode(outcome: RunOutcome): number {
  if (outcome === 'complete') return 0;
  if (outcome === 'timeout') return 124;
  return outcome === 'aborted' || outcome === 'interrupted' ? 130 : 1;
}

function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('expected a name');
  return text;
}

function permissionFile(file: string): PermissionRuleSet {
  try {
    return parsePermissionRules(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new InvalidArgumentError(errorText(error));
  }
}

function variable(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, given] = /^([A-Za-z_]\w*)(?:=([^]*))?$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('expected NAME=VALUE or NAME');
  const value = given ?? process.env[name];
  if (value === undefined) throw new InvalidArgumentError(`expected NAME=VALUE: ${name} is not set here`);
  return { ...before, [name]: value };
}
