import type { Harness } from 'singletree/control';

interface Command {
  readonly help: string;
  /** Returns what to print. */
  readonly run: (harness: Harness, rest: string) => Promise<string>;
}

/** The commands of the console by name, without the slash. */
export const commands: Readonly<Record<string, Command>> = {
  threads: {
    help: 'lists the threads',
    run: async harness => {
      const open = harness.getCurrentThreadId();
      const rows = (await harness.listThreads()).map(
        ({ id, title = 'untitled' }, at) => `${id === open ? '*' : ' '} ${at + 1} ${title}`,
      );
      return rows.join('\n');
    },
  },
  new: {
    help: 'TITLE begins a thread',
    run: async (harness, title) => `thread: ${(await harness.createThread({ title: title || 'untitled' })).title}`,
  },
  open: {
    help: 'NUMBER opens a thread of the list',
    run: async (harness, number) => {
      const thread = (await harness.listThreads())[Number(number) - 1];
      if (thread === undefined) return `There is no thread ${number}. /threads lists them.`;
      await harness.switchThread({ threadId: thread.id });
      const messages = await harness.listMessages({ limit: 4 });
      const texts = messages.map(
        ({ role, content }) =>
          `  ${role}: ${content.map(part => (part.type === 'text' ? part.text : part.type)).join(' ')}`,
      );
      return [`thread: ${thread.title ?? 'untitled'}`, ...texts].join('\n');
    },
  },
  mode: {
    help: 'NAME switches the mode; without a name it lists them',
    run: async (harness, modeId) => {
      if (modeId !== '') await harness.switchMode({ modeId });
      return `mode: ${harness.getCurrentModeId()} of ${harness
        .listModes()
        .map(({ id }) => id)
        .join(', ')}`;
    },
  },
  later: {
    help: 'TEXT is sent when the turn has ended',
    run: async (harness, content) => {
      await harness.followUp({ content });
      return `later: ${content}`;
    },
  },
  stop: {
    help: 'ends the turn',
    run: async harness => {
      harness.abort();
      return 'stopping';
    },
  },
};

export const helpText: string = [
  ...Object.entries(commands).map(([name, { help }]) => `/${name} ${help}`),
  '/quit ends; everything else is a message, or the answer to what is asked',
].join('\n');
