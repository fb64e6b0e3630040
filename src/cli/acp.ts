import type { Command } from 'commander';
import type { EditorOptions } from './acp/serve-editor.ts';
import { listedCommand } from './command-list.ts';
import { addStoreOptions, addVerboseOption, folder } from './command-options.ts';

/** Adds `singletree acp`, which an editor starts to talk with an agent over the Agent Client Protocol. */
export function addAcpCommand(program: Command): void {
  addVerboseOption(addStoreOptions(listedCommand(program, 'acp')))
    .argument('[agent]', 'coder, an external agent such as claude or codex, demo, or one of your configuration')
    .option('--cwd <folder>', 'the folder whose configuration applies', folder, '.')
    .option('--yolo', 'let external agents do everything without asking')
    .action(async (agent: string | undefined, options: EditorOptions) =>
      (await import('./acp/serve-editor.ts')).serveEditor(agent, options),
    );
}
