import { costText, shortCount } from '../rows/part-rows.ts';
import { actionDefinition, actionNames } from '../keys/actions.ts';
import type { ChatApp } from './chat-app.ts';
import { linesRow } from './note-row.ts';
import { type Line, span } from '../screen/styled-line.ts';

type Command = (app: ChatApp, argument: string) => Promise<unknown> | unknown;

const commands: Readonly<Record<string, Command>> = {
  help: app => app.screen.print(linesRow(helpLines())),
  quit: app => app.quit(),
  new: app => app.startNew(),
  bg: app => app.startNew(),
  mode: (app, modeId) => switchMode(app, modeId),
  model: (app, modelId) => switchModel(app, modelId),
  threads: (app, id) => threads(app, id),
  rename: (app, title) => app.host.harness.renameThread({ title }),
  tasks: app => {
    app.showsTasks = !app.showsTasks;
  },
  usage: app => usage(app),
  editor: app => app.editDraft(),
};

/** Runs a slash command; what fails is a row. */
export function runCommand(app: ChatApp, line: string): void {
  const [, name = '', argument = ''] = /^\/(\S*)\s*([^]*)$/.exec(line) ?? [];
  const command = commands[name];
  if (command === undefined) app.note(`Unknown command "/${name}". /help lists them.`, 'warning');
  else app.attempt(() => command(app, argument.trim()));
}

async function switchMode(app: ChatApp, modeId: string): Promise<void> {
  const { harness } = app.host;
  if (modeId !== '') return harness.switchMode({ modeId });
  app.note(
    `Modes: ${harness
      .listModes()
      .map(({ id }) => id)
      .join(', ')}. Shift+Tab goes to the next one.`,
  );
}

async function switchModel(app: ChatApp, modelId: string): Promise<void> {
  const { harness } = app.host;
  if (modelId !== '') {
    await harness.switchModel({ modelId, scope: 'thread' });
    return app.note(`Model: ${modelId}`);
  }
  const models = (await harness.listAvailableModels()).filter(({ hasApiKey }) => hasApiKey);
  app.note(`Models: ${models.map(({ id }) => id).join(', ') || 'none with a key'}. /model ID chooses one.`);
}

async function threads(app: ChatApp, id: string): Promise<void> {
  const found = await app.host.harness.listThreads();
  const chosen = id === '' ? undefined : found.find(thread => thread.id.startsWith(id));
  if (chosen !== undefined) return app.open(chosen.id);
  const lines = found
    .slice(0, 15)
    .map((thread): Line => [span(`  ${thread.id.slice(0, 13)}  `, 'cyan'), span(thread.title ?? 'untitled')]);
  app.screen.print(linesRow([[span('Threads (/threads ID opens one):', 'bold')], ...lines]));
}

function usage(app: ChatApp): void {
  const total = app.host.follower?.reading.usage;
  if (total === undefined) return app.note('Nothing was used yet.');
  const cost = total.cost === undefined ? '' : ` · ${costText(total.cost)}`;
  app.note(`This thread: ${shortCount(total.inputTokens)} tokens in, ${shortCount(total.outputTokens)} out${cost}`);
}

function helpLines(): Line[] {
  const shown = actionNames
    .map(name => actionDefinition(name))
    .filter(action => action.in === 'chat' && action.edits !== true);
  return [
    [span('Keys', 'bold')],
    ...shown.map((action): Line => [span(`  ${action.keys.join(', ').padEnd(22)}`, 'cyan'), span(action.does)]),
    [span('Commands', 'bold')],
    [
      span(
        `  ${Object.keys(commands)
          .map(name => `/${name}`)
          .join(' ')}`,
      ),
    ],
  ];
}
