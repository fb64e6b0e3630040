import { type Command, InvalidArgumentError, Option } from 'commander';
import { isOrigin } from '../server/security/request-guard.ts';
import { tokenOption } from './serve/access-tokens.ts';
import { listedCommand } from './command-list.ts';
import { addStoreOptions, addVerboseOption, collect, folder, mcpAllowOption } from './command-options.ts';
import type { ServeOptions } from './serve/serve-page.ts';

/** Adds `singletree serve`, the default: the server and its page on this machine. */
export function addServeCommand(program: Command): void {
  const command = listedCommand(program, 'serve');
  addVerboseOption(addStoreOptions(command))
    .option('--host <address>', 'the address to listen on; a non-local address requires a token (default: 127.0.0.1)')
    .option('--port <number>', 'the port; 0 selects a free one (default: 4747, or the next free one)', portNumber)
    .addOption(tokenOption())
    .option('--no-token', 'let every program on this machine use the server, instead of those with its token')
    .option('--allow-host <name>', 'a host name that remote clients may use (repeatable)', collect)
    .option('--cors <origin>', 'the origin of a page elsewhere that may use the server (repeatable)', origins)
    .addOption(
      new Option('--log <style>', 'log requests on stderr: as JSON, pretty, only failed ones, or none')
        .choices(['json', 'pretty', 'errors', 'off'])
        .default('errors'),
    )
    .addOption(
      mcpAllowOption('--mcp-allow <what>', 'what other agents may do at /mcp beside reading: run, answer (repeatable)'),
    )
    .option('--files <folder>', 'serve files that agents registered from this folder', folder)
    .option('--cwd <folder>', 'the folder that agents work in', folder, '.')
    .addOption(new Option('--example', 'work in a small example project instead').conflicts('cwd'))
    .option('--yolo', 'let external agents do everything without asking')
    .option('--no-open', 'do not open the page in a browser')
    .option('--json', 'print the address and what was found as one line of JSON')
    .action(async (options: ServeOptions) => (await import('./serve/serve-page.ts')).serve(options));
}

function origins(value: string, before: readonly string[] = []): readonly string[] {
  if (isOrigin(value)) return [...before, value];
  throw new InvalidArgumentError('expected an exact origin, such as "http://localhost:3000", without a path or *');
}

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('expected a number from 0 to 65535');
}
