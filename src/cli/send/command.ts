import { text as readAll } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { listedCommand } from '../command-list.ts';
import { addStoreOptions, folder } from '../command-options.ts';
import { type StoreOptions } from '../settings/store-options.ts';

export interface SendOptions extends StoreOptions {
  readonly server?: string;
  readonly token?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly followUp?: boolean;
  /** Whether to print the answer; commander's `--no-wait`. */
  readonly wait: boolean;
  readonly json?: boolean;
}

/** Adds `singletree send`, which sends a message to a thread of a store or of a server and prints the answer. */
export function addSendCommand(program: Command): void {
  const command = listedCommand(program, 'send');
  addStoreOptions(command)
    .argument('<thread>', 'its id, the beginning of its id, or "last": the newest of this folder')
    .argument('<message>', 'the message, in quotes; "-" reads it from standard input')
    .addOption(new Option('--server <url>', 'a server instead of a store').conflicts(['store', 'db', 'live', 'cwd']))
    .addOption(new Option('--token <token>', 'the access token of the server').env('SINGLETREE_TOKEN'))
    .option('--model <model>', 'the model of the answer')
    .option('--cwd <folder>', 'the folder that the agent works in, when a run starts here', folder)
    .option('--follow-up', 'wait until the run that is active has ended, instead of going into it')
    .option('--no-wait', 'do not wait for the answer; the thread has to be active, or on a server')
    .option('--json', 'print the events of the answer, one JSON value per line')
    .action(async (thread: string, given: string, options: SendOptions) => {
      const message = given === '-' ? (await readAll(process.stdin)).trimEnd() : given;
      if (message.trim() === '') command.error('error: the message is empty. Expected text, in quotes.');
      process.exitCode =
        options.server === undefined
          ? await (await import('./send-to-store.ts')).sendToStore(thread, message, options)
          : await (await import('./send-to-server.ts')).sendToServer(thread, message, options);
    });
}
