import type { Conversations } from '../../control/conversations/conversations.ts';
import type { EventLog } from '../../log/event-log.ts';

/** A slash command in an editor. */
interface SessionCommand {
  readonly name: string;
  readonly description: string;
  readonly input?: { readonly hint: string };
  /** Runs the command and returns a text about the result. */
  run(place: CommandPlace, argument: string): Promise<string>;
}

interface CommandPlace {
  readonly log: EventLog;
  readonly conversations: Conversations;
  readonly threadId: string;
}

const continues = (threadId: string) => `The conversation continues in the session ${threadId}.`;

/** The commands of every session. */
export const sessionCommands: readonly SessionCommand[] = [
  {
    name: 'undo',
    description: 'take back the newest turn of the coding agent, with the files it changed',
    run: async ({ conversations, threadId }) => {
      const { threadId: next, changed } = await conversations.undo(threadId);
      return `Taken back. Files changed: ${changed.length === 0 ? 'none' : changed.join(', ')}. ${continues(next)}`;
    },
  },
  {
    name: 'redo',
    description: 'take up again what an undo took back',
    run: async ({ conversations, threadId }) => {
      const { threadId: next, changed } = await conversations.redo(threadId);
      return `Restored. Files changed: ${changed.length === 0 ? 'none' : changed.join(', ')}. ${continues(next)}`;
    },
  },
  {
    name: 'branch',
    description: 'make a session that continues this one from here on',
    run: async ({ log, conversations, threadId }) => {
      const { seq, title } = await conversations.find(threadId);
      const { id } = await log.branch(threadId, seq, title === undefined ? {} : { title });
      return `Branched. ${continues(id)}`;
    },
  },
  {
    name: 'rename',
    description: 'give this session a title',
    input: { hint: 'title' },
    run: async ({ conversations, threadId }, title) => {
      if (title === '') return 'Expected a title, as in: /rename Fix the login';
      await conversations.label(threadId, { title });
      return `Renamed: ${title}`;
    },
  },
];

/** Parses a prompt as a command with its argument; undefined when it is not a command. */
export function findCommand(content: unknown): { command: SessionCommand; argument: string } | undefined {
  const [, name, argument = ''] =
    (typeof content === 'string' ? /^\/(\w+)(?:\s+(.*))?\s*$/s.exec(content) : null) ?? [];
  const command = sessionCommands.find(each => each.name === name);
  return command && { command, argument: argument.trim() };
}
