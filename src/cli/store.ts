import { addJsonOption, addStoreOptions } from './command-options.ts';
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { SingletreeError } from '../base/singletree-error.ts';
import { checkStore } from '../log/store/check-store.ts';
import { copyStore } from '../log/store/copy-store.ts';
import { openStore } from '../log/store/open-store.ts';
import { parseStoreUrl, visibleUrl } from '../log/store/store-url.ts';
import { ProgressLine } from './run/progress-line.ts';
import { makeSingletreeHome } from './settings/home.ts';
import { type StoreOptions, storeUrls } from './settings/store-options.ts';
import { listedCommand, subcommand } from './command-list.ts';
import { counted } from '../projections/presentation/wording.ts';
import { type JsonOption, printResult } from './print.ts';
import { standardError, standardOutput } from '../control/standard-output.ts';

/** Adds `singletree store`: migrate, check and copy the stores of logs. */
export function addStoreCommand(program: Command): void {
  const store = listedCommand(program, 'store');
  const add = (name: string, description: string, example: string) =>
    subcommand(store, name, { description, example: `singletree store ${name} ${example}` });
  addJsonOption(
    addStoreOptions(
      add('migrate', 'move the tables of a store forward to this version', '--store postgres://localhost/agents'),
    ),
    'result',
  ).action(async (options: StoreOptions & JsonOption) => migrate(options));
  addJsonOption(
    addStoreOptions(
      add('check', 'read everything in a store and report what is missing or damaged', '--db agents.db').option(
        '--rebuild',
        'write anew what does not follow from the events: the index of open things, messages in PostgreSQL',
      ),
    ),
    'result',
  ).action(async (options: StoreOptions & JsonOption & { rebuild?: boolean }) => {
    process.exitCode = await check(options);
  });
  const copied = 'copy every thread of a store to another one; made again, it adds what is new: also a backup';
  addJsonOption(add('copy', copied, 'file:agents.db postgres://localhost/agents'), 'result')
    .argument('<from>', 'the store to copy: file:PATH or postgres://…')
    .argument('<to>', 'the store to copy to')
    .action(async (from: string, to: string, options: JsonOption) => copy(from, to, options));
}

async function migrate(options: StoreOptions & JsonOption): Promise<void> {
  const { store } = storeUrls(options);
  makeSingletreeHome();
  const log = await openStore(store);
  await log.close();
  const shown = visibleUrl(store);
  await printResult(options, { store: shown, migrated: true }, `${shown} has the tables of this version.`);
}

/** Checks the store; returns exit code 1 when it finds a problem. */
async function check(options: StoreOptions & JsonOption & { readonly rebuild?: boolean }): Promise<number> {
  const { store } = storeUrls(options);
  checkExists(store);
  const log = await openStore(store, { allowReadOnly: true });
  const progress = new ProgressLine(standardError);
  try {
    const report = await checkStore(log, {
      rebuild: options.rebuild === true,
      onProgress: ({ threads, events }) =>
        progress.show(`checked ${counted(threads, 'thread')}, ${counted(events, 'event')}`),
    });
    progress.end();
    if (options.json === true) await standardOutput.writeJson({ store: visibleUrl(store), ...report });
    else {
      for (const { threadId, message } of report.problems)
        await standardOutput.write(`thread ${threadId}: ${message}\n`);
      const { threads, events, rawLines, problems, rebuilt } = report;
      if (rebuilt.length > 0)
        await standardOutput.write(
          `Wrote what follows from the events of ${counted(rebuilt.length, 'thread')} anew: ${rebuilt.join(', ')}\n`,
        );
      await standardOutput.write(
        `${visibleUrl(store)}: ${counted(threads, 'thread')}, ${counted(events, 'event')}, ${counted(rawLines, 'raw line')}, ${counted(problems.length, 'problem')}.\n`,
      );
    }
    return report.problems.length === 0 ? 0 : 1;
  } finally {
    progress.end();
    await log.close();
  }
}

async function copy(from: string, to: string, options: JsonOption): Promise<void> {
  const [source, target] = [parseStoreUrl(from), parseStoreUrl(to)];
  if (JSON.stringify(source) === JSON.stringify(target))
    throw new SingletreeError('invalid_argument', 'A store cannot be copied to itself. Name two stores.');
  checkExists(from);
  const log = await openStore(from, { allowReadOnly: true });
  const progress = new ProgressLine(standardError);
  let time = 0;
  try {
    const copied = await openStore(to, { now: () => time });
    try {
      const result = await copyStore(log, { log: copied, setTime: ms => void (time = ms) }, each =>
        progress.show(`${bar(each.done, each.threads)} ${each.done}/${each.threads} threads, ${each.events} events`),
      );
      progress.end();
      const { events, rawLines, threads, unchanged } = result;
      await printResult(
        options,
        { from: visibleUrl(from), to: visibleUrl(to), ...result },
        `Copied ${events} events and ${rawLines} raw lines in ${threads - unchanged} of ${threads} threads to ${visibleUrl(to)}.`,
      );
    } finally {
      await copied.close();
    }
  } finally {
    progress.end();
    await log.close();
  }
}

/** Throws `invalid_argument` for a file that does not exist: opening it would create it. */
function checkExists(url: string): void {
  const location = parseStoreUrl(url);
  if (location.kind !== 'file' || existsSync(location.path)) return;
  throw new SingletreeError('invalid_argument', `There is no file "${location.path}". Name the file of a log.`);
}

const barWidth = 24;

function bar(done: number, all: number): string {
  const filled = all === 0 ? barWidth : Math.floor((done / all) * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]`;
}
