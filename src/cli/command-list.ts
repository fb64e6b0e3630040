import type { Command } from 'commander';

/** A command of the program: its line in the help, an example, and the module that defines it. */
interface ListedCommand {
  readonly description: string;
  readonly example: string;
  readonly load: () => Promise<(program: Command) => void>;
}

const threads = async () => (await import('./threads/commands.ts')).addThreadCommands;

/** The commands in the order of the help. A module is loaded only when its command is used. */
const commandList = {
  serve: {
    description: 'serve the page and the HTTP API (the default command)',
    example: 'singletree serve --port 8080',
    load: async () => (await import('./serve.ts')).addServeCommand,
  },
  run: {
    description: 'run an agent, show its activity and record it',
    example: 'singletree run coder "fix the failing test"',
    load: async () => (await import('./run.ts')).addRunCommand,
  },
  compare: {
    description: 'run several agents on one request, each in a git worktree of its own',
    example: 'singletree compare "fix the failing test" --agents coder,claude',
    load: async () => (await import('./compare/command.ts')).addCompareCommand,
  },
  worktrees: {
    description: 'list the worktrees of compared agents, keep the changes of one, or remove them',
    example: 'singletree worktrees keep coder-1a2b3c4d',
    load: async () => (await import('./compare/command.ts')).addWorktreesCommand,
  },
  chat: {
    description: 'talk with an agent in the terminal',
    example: 'singletree chat coder',
    load: async () => (await import('./chat.ts')).addChatCommand,
  },
  acp: {
    description: 'answer an editor over the Agent Client Protocol, with any agent',
    example: 'singletree acp claude',
    load: async () => (await import('./acp.ts')).addAcpCommand,
  },
  send: {
    description: 'send a message to a thread: into its run, or as its next turn',
    example: 'singletree send last "also update the changelog"',
    load: async () => (await import('./send/command.ts')).addSendCommand,
  },
  inbox: {
    description: 'list what waits for you, or answer it',
    example: 'singletree inbox reject 1 --reason "Use git mv"',
    load: threads,
  },
  threads: {
    description: 'list the newest threads',
    example: 'singletree threads --limit 5',
    load: threads,
  },
  show: {
    description: 'print a thread',
    example: 'singletree show last --follow',
    load: threads,
  },
  search: {
    description: 'find messages and titles by their words',
    example: 'singletree search failing test',
    load: threads,
  },
  undo: {
    description: 'take back the newest turn of the coding agent in this folder, with the files it changed',
    example: 'singletree undo last --preview',
    load: threads,
  },
  redo: {
    description: 'take up again what an undo took back in this folder',
    example: 'singletree redo last',
    load: threads,
  },
  branch: {
    description: 'make a thread that continues another one from an event on',
    example: 'singletree branch last --at 12',
    load: threads,
  },
  graph: {
    description: 'print the graph of a thread as a tree',
    example: 'singletree graph last',
    load: threads,
  },
  export: {
    description: 'print a thread: its events as JSON lines, or as Markdown, a web page, ATIF or OpenTelemetry spans',
    example: 'singletree export last --format html --output thread.html',
    load: threads,
  },
  import: {
    description: 'list and import the sessions of coding agents, or make a thread from exported events',
    example: 'singletree import claude --all',
    load: threads,
  },
  rm: {
    description: 'delete a thread',
    example: 'singletree rm 019a8f2c --yes',
    load: threads,
  },
  usage: {
    description: 'print tokens and cost by day, agent, model, resource or thread, or the calls of tools',
    example: 'singletree usage --by model --from 2026-01-01',
    load: threads,
  },
  agents: {
    description: 'list the agents, whether each can be used here, and what external ones can do',
    example: 'singletree agents --json',
    load: async () => (await import('./agents.ts')).addAgentsCommand,
  },
  mcp: {
    description: 'serve the threads of this folder to other agents, as an MCP server on standard input and output',
    example: 'singletree mcp --folder . --allow run',
    load: async () => (await import('./mcp.ts')).addMcpCommand,
  },
  models: {
    description: 'list the models that can be used now',
    example: 'singletree models --all',
    load: async () => (await import('./models.ts')).addModelsCommand,
  },
  config: {
    description: 'print the effective configuration and where each value comes from',
    example: 'singletree config trust .',
    load: async () => (await import('./config.ts')).addConfigCommand,
  },
  doctor: {
    description: 'check Node, configuration, store, agents, models and ports',
    example: 'singletree doctor',
    load: async () => (await import('./doctor.ts')).addDoctorCommand,
  },
  store: {
    description: 'migrate, check or copy the store of a log',
    example: 'singletree store copy file:agents.db postgres://localhost/agents',
    load: async () => (await import('./store.ts')).addStoreCommand,
  },
  translate: {
    description: 'translate the saved output of an external agent to events or activity',
    example: 'singletree translate codex saved-output.jsonl --output activity',
    load: async () => (await import('./translate.ts')).addTranslateCommand,
  },
  demo: {
    description: 'append a scripted run to a new thread and print its thread and its graph',
    example: 'singletree demo',
    load: async () => (await import('./demo.ts')).addDemoCommand,
  },
  debug: {
    description:
      'print what a model would be sent of a thread or was sent at a step, or which variables a program gets',
    example: 'singletree debug prompt last',
    load: threads,
  },
  completion: {
    description: 'print a script that completes commands and options in your shell',
    example: 'singletree completion bash >> ~/.bashrc',
    load: async () => (await import('./completion.ts')).addCompletionCommand,
  },
} satisfies Record<string, ListedCommand>;

export type CommandName = keyof typeof commandList;

export const commandNames = Object.keys(commandList) as readonly CommandName[];

/** Adds a command with its line of the help and its example. */
export function listedCommand(program: Command, name: CommandName): Command {
  const { description, example } = commandList[name];
  return program.command(name).description(description).addHelpText('after', `\nExample: ${example}`);
}

/** Adds the definition of a command, or of all of them, to a program. */
export async function addCommands(program: Command, names: readonly CommandName[]): Promise<void> {
  for (const load of new Set(names.map(name => commandList[name].load))) (await load())(program);
}

const aboutTheProgram = ['-h', '--help', '-V', '--version'];

/**
 * Returns the command line with its command, by default `serve`. An unknown command is passed alone, so that the error
 * is about it and not about what follows it; help for it is rejected too.
 */
export function withNamedCommand(args: readonly string[], commands: readonly string[]): readonly string[] {
  const [first = '-', second] = args;
  if (first.startsWith('-')) return aboutTheProgram.includes(first) ? args : ['serve', ...args];
  const named = first === 'help' ? second : first;
  return named === undefined || named === 'help' || commands.includes(named) ? args : [named];
}

/** Adds a command under another one, with its line of the help and its example. */
export function subcommand(
  parent: Command,
  usage: string,
  { description, example }: { readonly description: string; readonly example: string },
): Command {
  const command = parent.command(usage).description(description).addHelpText('after', `\nExample: ${example}`);
  return command.showHelpAfterError(`(see singletree ${parent.name()} ${command.name()} --help)`);
}
