import type { Command } from 'commander';

/** A command of the program: its line in the help, and the module that defines it. */
interface ListedCommand {
  readonly description: string;
  readonly load: () => Promise<(program: Command) => void>;
}

const threads = async () => (await import('./threads/commands.ts')).addThreadCommands;

/** The commands in the order of the help. A module is loaded only when its command is used. */
export const commandList = {
  serve: {
    description: 'serve the page and the HTTP API (the default command)',
    load: async () => (await import('./serve.ts')).addServeCommand,
  },
  run: {
    description: 'run an agent, show its activity and record it',
    load: async () => (await import('./run.ts')).addRunCommand,
  },
  chat: {
    description: 'talk with an agent in the terminal',
    load: async () => (await import('./chat.ts')).addChatCommand,
  },
  inbox: { description: 'list what waits for you, or answer it', load: threads },
  threads: { description: 'list the newest threads', load: threads },
  show: { description: 'print a thread', load: threads },
  search: { description: 'find messages and titles by their words', load: threads },
  undo: {
    description: 'take the newest turn of the coding agent back: its conversation and the files it changed',
    load: threads,
  },
  redo: { description: 'take up again what an undo took back', load: threads },
  branch: { description: 'make a thread that continues another one from an event on', load: threads },
  graph: { description: 'print the graph of a thread as a tree', load: threads },
  export: { description: 'print the events of a thread, one on each line', load: threads },
  import: { description: 'make a thread from exported events', load: threads },
  rm: { description: 'delete a thread', load: threads },
  usage: { description: 'print tokens and cost by day, agent and model', load: threads },
  agents: {
    description: 'list the external coding agents: version, credentials, channel, what each can do',
    load: async () => (await import('./agents.ts')).addAgentsCommand,
  },
  models: {
    description: 'list the models that can be used now: context size, price, source of the key',
    load: async () => (await import('./models.ts')).addModelsCommand,
  },
  config: {
    description: 'print the effective configuration and where each value comes from',
    load: async () => (await import('./config.ts')).addConfigCommand,
  },
  doctor: {
    description: 'check Node, configuration, store, agents, models and ports',
    load: async () => (await import('./doctor.ts')).addDoctorCommand,
  },
  store: {
    description: 'migrate, check or copy the store of a log',
    load: async () => (await import('./store.ts')).addStoreCommand,
  },
  translate: {
    description: 'translate the raw output of an external agent to events or activity, one JSON value per line',
    load: async () => (await import('./translate.ts')).addTranslateCommand,
  },
  demo: {
    description: 'append a scripted run to a new thread and print its thread and its graph',
    load: async () => (await import('./demo.ts')).addDemoCommand,
  },
  debug: { description: 'print what a model would be sent of a thread', load: threads },
  completion: {
    description: 'print a script that completes commands and options in your shell',
    load: async () => (await import('./completion.ts')).addCompletionCommand,
  },
} satisfies Record<string, ListedCommand>;

export type CommandName = keyof typeof commandList;

export const commandNames = Object.keys(commandList) as readonly CommandName[];

/** Adds a command with its line of the help. */
export function listedCommand(program: Command, name: CommandName): Command {
  return program.command(name).description(commandList[name].description);
}

/** Adds the definition of a command, or of all of them, to a program. */
export async function addCommands(program: Command, names: readonly CommandName[]): Promise<void> {
  for (const load of new Set(names.map(name => commandList[name].load))) (await load())(program);
}
