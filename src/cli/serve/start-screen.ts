import { isInstalled } from '../../agents/cli/agent/find-program.ts';
import { counted } from '../../projections/presentation/wording.ts';
import type { AgentInfo } from '../../protocols/http-agents.ts';

/** The content of the server's start screen. */
export interface StartScreen {
  readonly version: string;
  readonly url: string;
  /** The sign-in address for the user at the terminal. */
  readonly link?: string;
  /** The file with the token of the server; absent when the server is open or tokens were configured. */
  readonly tokenFile?: string;
  /** The process that uses the default port, when another port had to be used. */
  readonly taken?: string | undefined;
  readonly folder: string;
  /** The project files found in the folder; empty when it is no project. */
  readonly found: readonly string[];
  readonly store: string;
  readonly live?: string | undefined;
  /** The agents, the default first. */
  readonly agents: readonly AgentInfo[];
  /** The models that can be used, the default first. */
  readonly models: readonly string[];
  readonly problems: readonly string[];
  /** The number of interrupted runs that were resumed. */
  readonly resumed: number;
  readonly call: CommandCall;
}

/** How the command is called in another terminal. */
export interface CommandCall {
  readonly command: 'singletree' | 'npx singletree';
  /** The condition under which this call works. */
  readonly where: string;
}

/** Returns the lines of the first screen: where the server is, what was found, and what to do next. */
export function startLines(screen: StartScreen): string[] {
  const { link = screen.url, tokenFile, taken, found, live, agents, problems, resumed, call } = screen;
  const rows: [string, string][] = [
    ['folder', screen.folder],
    ['found', found.length === 0 ? 'no project: start it in the folder of one, or try --example' : found.join(', ')],
    ['store', screen.store],
    ...(live === undefined ? [] : ([['live', live]] as [string, string][])),
    ...(tokenFile === undefined ? [] : ([['token', tokenFile]] as [string, string][])),
    ['agents', agents.map(({ id }) => id).join(', ')],
    ['models', modelsText(screen.models)],
  ];
  return [
    `Singletree is at ${link}${taken === undefined ? '' : ` (${taken})`}`,
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(8)} ${value}`),
    ...problems.map(problem => `  problem  ${problem}`),
    ...(resumed === 0 ? [] : [`  resumed  ${counted(resumed, 'interrupted run')}`]),
    '',
    `Next: open the page, or ${call.where}`,
    ...nextCommands(agents).map(([args, purpose]) => `  ${`${call.command} ${args}`.padEnd(50)} ${purpose}`.trimEnd()),
    '',
    `Ctrl-C stops it; open runs resume at the next start. (version ${screen.version})`,
  ];
}

function modelsText([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'none yet: set ANTHROPIC_API_KEY or OPENAI_API_KEY (singletree models --all)';
  return others.length === 0 ? first : `${first} and ${others.length} more (singletree models)`;
}

function nextCommands(agents: readonly AgentInfo[]): [string, string][] {
  const [first = { id: 'demo' }] = agents;
  const prompt = first.id === 'demo' ? 'Save a note for me' : 'What does this project do?';
  return [
    [`run ${first.id} "${prompt}"`, ''],
    ['inbox', 'what waits for you'],
    ['doctor', 'what is missing, and how to fix it'],
  ];
}

/** Returns how the command of this package is called: it is in the PATH, of the project it was called in, or of a clone. */
export async function findCommandCall(env: NodeJS.ProcessEnv): Promise<CommandCall> {
  if (env['npm_command'] === 'exec') return { command: 'npx singletree', where: 'in another terminal, in this folder' };
  const isLinked = env['npm_command'] === undefined || (await isInstalled({ executable: 'singletree' }, env));
  const where = 'in another terminal, in any folder';
  return { command: 'singletree', where: isLinked ? where : `after \`npm link\` in the clone, ${where}` };
}
