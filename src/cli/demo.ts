import type { Command } from 'commander';
import { createGraph, reduceEvent } from '../graph/index.ts';
import { ThreadWriter, visibleUrl } from '../log/index.ts';
import { demoRun } from './demo-run.ts';
import { graphLines, threadLines } from './graph-lines.ts';
import { addStoreOptions, openStoreOf, type StoreOptions, storeUrls } from './settings/store-options.ts';
import { listedCommand } from './command-list.ts';
import { standardOutput } from '../control/standard-output.ts';

/** Adds `singletree demo`, which appends a scripted run to a thread, reads it back and prints its thread and graph. */
export function addDemoCommand(program: Command): void {
  const command = listedCommand(program, 'demo');
  addStoreOptions(command)
    .option('--json', 'print the events, one JSON value per line')
    .action(async (options: StoreOptions & { readonly json?: boolean }) => {
      const log = await openStoreOf(options);
      const { store } = storeUrls(options);
      try {
        const thread = await log.createThread({ title: 'Demo' });
        const writer = new ThreadWriter(log, thread.id);
        for (const event of demoRun()) await writer.write(event);
        await writer.flush();
        const events = await log.read(thread.id);
        if (options.json === true) {
          for (const event of events) await standardOutput.writeJson(event);
          return;
        }
        const graph = events.reduce(reduceEvent, createGraph());
        const counts = `${events.length} events, ${graph.nodes.size} nodes`;
        const lines = [
          `Thread ${thread.id} in ${visibleUrl(store)}: ${counts}`,
          '',
          ...threadLines(graph),
          '',
          ...graphLines(graph),
        ];
        await standardOutput.write(`${lines.join('\n')}\n`);
      } finally {
        await log.close();
      }
    });
}
