import type { OfferedCommand } from '../../projections/completion/completion.ts';

/** The kind of value that completes the argument of a command. */
export type ArgumentKind = 'agent' | 'model' | 'mode' | 'thread' | 'command' | 'copy' | 'density' | 'export';

/** A slash command. */
export interface SlashCommand extends OfferedCommand {
  readonly completes?: ArgumentKind;
}

/** The slash commands, the most useful first. */
export const slashCommands = [
  { name: 'help', argument: '[command]', completes: 'command', does: 'show keys and commands' },
  { name: 'model', argument: '[provider/model]', completes: 'model', does: 'choose a model' },
  { name: 'key', argument: '[provider]', does: 'enter, replace or remove the key of a provider of models' },
  { name: 'mode', argument: '[mode]', completes: 'mode', does: 'switch the mode' },
  { name: 'agent', argument: '[agent]', completes: 'agent', does: 'continue with another agent' },
  { name: 'threads', argument: '[text]', completes: 'thread', does: 'switch to another thread' },
  { name: 'new', argument: '[title]', does: 'start a new thread' },
  { name: 'rewind', does: 'go back to an earlier message, with or without the files' },
  { name: 'undo', does: 'take the last turn back, with its files' },
  { name: 'redo', does: 'take it up again' },
  { name: 'expand', does: 'go back to before earlier messages were summarised' },
  { name: 'inbox', does: 'answer what waits, in any thread' },
  { name: 'queue', does: 'edit the messages that wait' },
  { name: 'tasks', does: 'show or hide the tasks' },
  { name: 'agents', does: 'show the agents that run' },
  { name: 'bg', does: 'let what runs go on in the background, and start a new thread' },
  { name: 'copy', argument: '[answer|code|command]', completes: 'copy', does: 'copy to the clipboard' },
  {
    name: 'rules',
    argument: '[id]',
    does: 'show what is allowed without asking; with the id of a saved rule, revoke it',
  },
  { name: 'context', does: 'show what fills the context' },
  { name: 'usage', does: 'show tokens and cost' },
  { name: 'history', argument: '[text]', does: 'search the messages you have sent' },
  { name: 'editor', does: 'edit the draft in your editor' },
  { name: 'rename', argument: 'title', does: 'rename the thread' },
  { name: 'export', argument: '[file]', completes: 'export', does: 'write the thread to a file' },
  { name: 'density', argument: '[quiet|normal|full]', completes: 'density', does: 'show less or more of calls' },
  { name: 'transcript', does: 'open the transcript' },
  { name: 'fullscreen', does: 'switch between the whole window and the scrollback' },
  { name: 'quit', does: 'quit; runs in the background end' },
] as const satisfies readonly SlashCommand[];

/** The name of a slash command. */
export type CommandName = (typeof slashCommands)[number]['name'];

/** A command that was entered, and its argument. */
export type ParsedCommand =
  | { readonly type: 'command'; readonly name: CommandName; readonly argument: string }
  /** None, or several commands begin with this name. */
  | { readonly type: 'unknown'; readonly name: string; readonly near: readonly string[] };

/** Reads a line that starts with a slash; a beginning that only one command has is enough. */
export function parseCommand(line: string): ParsedCommand {
  const [, name = '', argument = ''] = /^\s*\/(\S*)\s*([^]*)$/.exec(line) ?? [];
  const exact = slashCommands.find(command => command.name === name);
  const begun = name === '' ? [] : slashCommands.filter(command => command.name.startsWith(name));
  const [only] = exact === undefined ? begun : [exact];
  if (only !== undefined && (exact !== undefined || begun.length === 1))
    return { type: 'command', name: only.name, argument: argument.trim() };
  return { type: 'unknown', name, near: begun.map(command => command.name) };
}

/** Returns the commands, those that were used most and last first; `sent` are the texts of before, the newest first. */
export function commandsByUse(sent: readonly string[]): readonly SlashCommand[] {
  const weights = new Map<string, number>();
  for (const [index, text] of sent.entries()) {
    const name = /^\/([a-z]+)(?:\s|$)/.exec(text)?.[1];
    if (name !== undefined) weights.set(name, (weights.get(name) ?? 0) + 1 / (1 + index / 20));
  }
  return slashCommands.toSorted((one, other) => (weights.get(other.name) ?? 0) - (weights.get(one.name) ?? 0));
}
