import { createContext } from 'react';
import type { OfferedCommand } from '../../../src/projections/completion/completion.ts';

/** A value that the argument of a command can have. */
export interface CommandValue {
  readonly text: string;
  readonly detail?: string;
}

/** A command that begins with a slash: done by the page, or sent as the message that it returns. */
export interface PageCommand extends OfferedCommand {
  /** Runs the command. Returns the message to send instead of the line, if any. */
  readonly run: (argument: string) => string | undefined;
  readonly values?: readonly CommandValue[];
}

/** Returns a command that the page carries out. */
export function actionCommand(name: string, does: string, act: () => void): PageCommand {
  return {
    name,
    does,
    run: () => {
      act();
      return undefined;
    },
  };
}

/** The commands of the page itself, wherever a message is written. */
export const PageCommands = createContext<readonly PageCommand[]>([]);

/** Returns the command that a line is, and its argument; undefined when the line is a message. */
export function readCommand(
  line: string,
  commands: readonly PageCommand[],
): { readonly command: PageCommand; readonly argument: string } | undefined {
  const [, name, argument = ''] = /^\/([\w:.-]+)(?:\s+([^]*))?$/.exec(line.trim()) ?? [];
  const command = commands.find(each => each.name === name);
  return command && { command, argument: argument.trim() };
}
