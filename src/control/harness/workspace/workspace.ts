import { defined } from '../../../base/defined.ts';
import { basename, resolve } from 'node:path';
import type { Tool } from '../../../agents/contract/agent.ts';
import { discoverSkills, type Skill, type SkillProblem } from '../../../agents/skills/discover-skills.ts';
import { skillTool } from '../../../agents/skills/skill-tool.ts';
import { readText } from '../../../agents/tools/files/read-text.ts';
import { workspaceTools } from '../../../agents/tools/workspace-tools.ts';
import { BoundedOutput } from '../../../agents/workspace/bounded-output.ts';
import { type WorkspaceFolder, workspace } from '../../../agents/workspace/workspace-folder.ts';
import { newId } from '../../../events/ids.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { WorkspaceStatus } from '../harness-event.ts';
import type { ToolCategory } from '../permissions/permissions.ts';
import { checkWorkspaceConfig, type WorkspaceConfig } from './workspace-config.ts';
import { exposedTools, exposeTools, workspaceToolCategories, type WorkspaceToolId } from './workspace-tools.ts';

/** The settings of a command. */
export interface CommandOptions {
  readonly signal?: AbortSignal;
  /** Default: 2 minutes. */
  readonly timeoutMs?: number;
}

/** The result of a command. Of long output, the beginning and the end are kept. */
export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
  readonly timedOut: boolean;
}

interface StartedWorkspace {
  readonly folder: WorkspaceFolder;
  readonly skills: readonly Skill[];
  readonly skillProblems: readonly SkillProblem[];
  readonly tools: readonly Tool[];
}

const outputBytes = 1024 * 1024;
const defaultTimeoutMs = 120_000;

/**
 * A folder in which agents work: its files, commands that start in it, its skills, and the tools for all of these. A
 * path that leads outside is refused unless a person grants it. A command is confined only by its working directory and
 * its environment variables.
 */
export class Workspace {
  readonly id: string;
  readonly name: string;
  /** The absolute path of the folder. */
  readonly root: string;
  readonly #config: WorkspaceConfig;
  readonly #exposed: ReadonlyMap<string, WorkspaceToolId>;
  readonly #closing = new AbortController();
  #status: WorkspaceStatus = 'pending';
  #starting: Promise<void> | undefined;
  #started: StartedWorkspace | undefined;

  /** Throws `invalid_argument` for invalid options. The folder is not opened before `init`. */
  constructor(config: WorkspaceConfig) {
    checkWorkspaceConfig(config);
    this.#config = config;
    this.root = resolve(config.root);
    this.id = config.id ?? newId();
    this.name = config.name ?? basename(this.root);
    this.#exposed = exposedTools(config.tools);
  }

  get status(): WorkspaceStatus {
    return this.#status;
  }

  /** Opens the folder and finds the skills, once; rejects when that fails, and can then be called again. */
  init(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(this.#closing.signal.reason as Error);
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /** The skills that `init` found. */
  get skills(): readonly Skill[] {
    return this.#started?.skills ?? [];
  }

  /** The files in the skill folders that are not usable skills, with the reason. */
  get skillProblems(): readonly SkillProblem[] {
    return this.#started?.skillProblems ?? [];
  }

  /** The tools under their exposed names; none before `init`. */
  get tools(): readonly Tool[] {
    return this.#started?.tools ?? [];
  }

  /** The category of one of its tools, by its exposed name; null for any other name. */
  toolCategory(toolName: string): ToolCategory | null {
    const id = this.#exposed.get(toolName);
    return id === undefined ? null : workspaceToolCategories[id];
  }

  /** Returns the text of a file inside the folder. */
  async readFile(path: string): Promise<string> {
    return (await readText(this.#folder, path)).text;
  }

  /** Writes a file inside the folder atomically; creates missing folders. */
  async writeFile(path: string, content: string): Promise<void> {
    await this.#folder.change([{ path, content }]);
  }

  /** Runs a shell command in the folder; `destroy` ends it. */
  async executeCommand(command: string, options: CommandOptions = {}): Promise<CommandResult> {
    const { signal = new AbortController().signal, timeoutMs = defaultTimeoutMs } = options;
    const output = new BoundedOutput(outputBytes, outputBytes);
    const onOutput = (chunk: Uint8Array) => output.push(chunk);
    const { exitCode, timedOut } = await this.#folder.run({ command, signal, timeoutMs, onOutput });
    return { exitCode, output: output.text(), timedOut };
  }

  /** Ends its commands and refuses further use; can be called again. */
  async destroy(): Promise<void> {
    this.#status = 'destroyed';
    this.#closing.abort(
      new SingletreeError('workspace_unavailable', `The workspace "${this.name}" was destroyed. Create another one.`),
    );
  }

  get #folder(): WorkspaceFolder {
    if (this.#started !== undefined) return this.#started.folder;
    throw new SingletreeError(
      'workspace_unavailable',
      `The workspace "${this.name}" has not started. Wait for \`init()\` first.`,
    );
  }

  async #start(): Promise<void> {
    this.#status = 'initializing';
    try {
      this.#started = await this.#open();
      if (!this.#closing.signal.aborted) this.#status = 'ready';
    } catch (error) {
      this.#status = 'error';
      this.#starting = undefined;
      throw error;
    }
    this.#closing.signal.throwIfAborted();
  }

  async #open(): Promise<StartedWorkspace> {
    const { env, skills: folders = [], fetch = false, outside = 'ask' } = this.#config;
    const closed = this.#closing.signal;
    const folder = workspace(this.root, { ...defined({ env }), outside, closed });
    const { skills, problems } = await discoverSkills(folders.map(each => resolve(folder.root, each)));
    const skillTools = skills.length === 0 ? [] : [skillTool(skills, skill => readSkill(folder, skill))];
    const tools = exposeTools([...workspaceTools(folder, { fetch }), ...skillTools], this.#exposed);
    return { folder, skills, skillProblems: problems, tools };
  }
}

/** Returns the text of a skill inside the folder as other files are read: never through a link that leads outside. */
async function readSkill(folder: WorkspaceFolder, { path }: Skill): Promise<string | undefined> {
  return path.startsWith(`${folder.root}/`) ? (await readText(folder, path)).text : undefined;
}
