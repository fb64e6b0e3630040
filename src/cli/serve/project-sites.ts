import { realpathSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import type { Agent, InvokeParams } from '../../agents/contract/agent.ts';
import { parsePermissionRules } from '../../agents/permissions/rule.ts';
import { startEvent } from '../../agents/start-event.ts';
import { describeUntrusted, trustQuestionText } from '../../config/trust-text.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { RecentProjects } from '../../config/recent-projects.ts';
import { TrustedFolders } from '../../config/project-trust.ts';
import { StoredRules } from '../../config/stored-rules.ts';
import { Worktrees } from '../../control/worktrees/worktrees.ts';
import { defined } from '../../base/defined.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { errorText } from '../../base/error-text.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { AgentInfo, SetupInfo } from '../../protocols/http-agents.ts';
import type { FolderList, ProjectInfo, TrustBody } from '../../protocols/http-folders.ts';
import type { RulesInfo, SavedRuleBody } from '../../protocols/http-settings.ts';
import type { AgentDirectory, ProjectHost } from '../../server/hosts.ts';
import { type InstalledAgents, installedAgents } from '../agents/installed-agents.ts';
import { ownAgents } from '../agents/own-agents.ts';
import { openSettings, type Settings } from '../settings/settings.ts';
import { describeRules, removeSavedRule } from './describe-rules.ts';
import { type FolderRoots, outside } from './folder-roots.ts';

/** One project: a folder with the configuration that applies to it and the agents that this makes. */
interface ProjectSite {
  readonly folder: string;
  readonly loaded: LoadedConfig;
  readonly agents: InstalledAgents;
  readonly worktrees: Worktrees;
}

interface ProjectSitesOptions {
  /** The folder that the server was started in. */
  readonly start: { readonly settings: Settings; readonly loaded: LoadedConfig };
  readonly roots: FolderRoots;
  readonly worktrees: Worktrees;
  /** Allows external agents to do everything without asking. */
  readonly yolo: boolean;
  /** Whether programs get only the short list of variables, regardless of the configuration. */
  readonly isShared: boolean;
}

/**
 * The projects of one server, each opened on first use. An agent runs in the folder of its thread, as configured by
 * that folder for its id, so that rules, tools and variables of one project never apply to another.
 */
export class ProjectSites implements AgentDirectory, ProjectHost {
  readonly #options: ProjectSitesOptions;
  readonly #startFolder: string;
  readonly #recent: RecentProjects;
  readonly #rules: StoredRules;
  readonly #sites = new Map<string, Promise<ProjectSite>>();
  /** The agents of every loaded configuration; agents of a reloaded configuration may still run. */
  readonly #opened: InstalledAgents[] = [];
  /** The agents that configurations of known projects define: their runs open the project. */
  readonly #named = new Map<string, Agent>();
  #start!: ProjectSite;

  private constructor(options: ProjectSitesOptions) {
    this.#options = options;
    this.#startFolder = realpathSync(options.start.settings.cwd);
    this.#recent = new RecentProjects(options.start.settings.home);
    this.#rules = new StoredRules(options.start.settings.home);
  }

  static async open(options: ProjectSitesOptions): Promise<ProjectSites> {
    const sites = new ProjectSites(options);
    sites.#recent.add(sites.#startFolder);
    sites.#start = await sites.#create(options.start);
    sites.#sites.set(sites.#startFolder, Promise.resolve(sites.#start));
    await sites.#nameAgents();
    return sites;
  }

  /** The agents of the folder that the server was started in. */
  get start(): InstalledAgents {
    return this.#start.agents;
  }

  list(): readonly AgentInfo[] {
    return this.#start.agents.list();
  }

  setup(): SetupInfo {
    return this.#start.agents.setup?.() ?? { agents: [], keys: [] };
  }

  /** Returns an agent of any open project; its runs use the agent of their thread's project. */
  get(id: string): Agent | undefined {
    const known = this.#opened.toReversed().flatMap(agents => agents.get(id) ?? [])[0];
    const agent = this.#start.agents.get(id) ?? known ?? this.#named.get(id);
    if (agent === undefined) return undefined;
    const checkModel: Agent['checkModel'] = async (modelId, registry) => {
      const problems: unknown[] = [];
      for (const agents of this.#opened)
        await agents
          .get(id)
          ?.checkModel?.(modelId, registry)
          .then(
            () => problems.push(undefined),
            (error: unknown) => problems.push(error),
          );
      if (problems.length > 0 && problems.every(problem => problem !== undefined)) throw problems[0];
    };
    return {
      ...agent,
      ...(agent.checkModel !== undefined && { checkModel }),
      invoke: params => this.#invoke(id, params),
    };
  }

  async listProjects(): Promise<readonly ProjectInfo[]> {
    return Promise.all(
      this.#recent.list().map(async ({ folder, openedAt }) => {
        // Opening it reports why it cannot be opened.
        const site = await this.#sites.get(folder)?.catch(() => undefined);
        return this.#describe({ folder, openedAt, ...(site && { loaded: site.loaded }) });
      }),
    );
  }

  async openProject(folder: string): Promise<ProjectInfo> {
    const { roots } = this.#options;
    const real = await roots.resolve(folder);
    if (!this.#isOpened(real) && !(await roots.contains(real))) throw outside(folder);
    const { loaded } = await this.#site(real);
    this.#recent.add(real);
    return this.#describe({ folder: real, loaded });
  }

  async findProject(folder: string): Promise<ProjectInfo> {
    const { folder: real, loaded } = await this.#findOpened(folder);
    return this.#describe({ folder: real, loaded });
  }

  async trustProject({ folder, lines }: TrustBody): Promise<ProjectInfo> {
    const site = await this.#findOpened(folder);
    // The file may have changed since the user read its description.
    const { loaded } = await openSettings(site.folder);
    if (loaded.untrusted !== undefined) {
      if (JSON.stringify(describeUntrusted(loaded.untrusted)) !== JSON.stringify(lines))
        throw new SingletreeError(
          'trust_changed',
          `${loaded.untrusted.file} is not what was shown any more. Read again what it does, and decide then.`,
        );
      new TrustedFolders(this.#home).add(loaded.untrusted.folder);
    }
    this.#sites.delete(site.folder);
    const next = await this.#site(site.folder);
    if (site.folder === this.#startFolder) this.#start = next;
    return this.#describe(next);
  }

  listFolders(path?: string): Promise<FolderList> {
    return this.#options.roots.list(path);
  }

  async findAgents(folder: string): Promise<AgentDirectory> {
    return (await this.#findOpened(folder)).agents;
  }

  async findWorktrees(folder: string): Promise<Worktrees> {
    return (await this.#findOpened(folder)).worktrees;
  }

  async describeRules(folder?: string): Promise<RulesInfo> {
    const site = folder === undefined ? this.#start : await this.#findOpened(folder);
    const equipment = await site.agents.equipment();
    return describeRules(site.folder, site.loaded, { equipment, saved: this.#rules.list() });
  }

  async saveRule(rule: SavedRuleBody): Promise<void> {
    for (const each of parsePermissionRules({ rules: [{ ...rule, policy: 'allow' }] }).rules) this.#rules.add(each);
  }

  async removeRule(id: string): Promise<void> {
    removeSavedRule(this.#rules, id);
  }

  /** Refreshes the models of every project after a key was stored or removed. */
  async refresh(): Promise<void> {
    await Promise.all(this.#opened.map(agents => agents.refresh()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map(agents => agents.close()));
  }

  get #home(): string {
    return this.#options.start.settings.home;
  }

  /** Finds the agents of the projects that were opened before: their conversations continue after a restart. */
  async #nameAgents(): Promise<void> {
    const folders = this.#recent.list().filter(({ folder }) => folder !== this.#startFolder);
    const opened = await Promise.all(
      // A missing folder or an unreadable configuration is reported on use.
      folders.map(({ folder }) => openSettings(folder).catch(() => undefined)),
    );
    for (const agent of opened.flatMap(each => (each === undefined ? [] : ownAgents(each.settings.config))))
      this.#named.set(agent.id, agent);
  }

  async *#invoke(id: string, params: InvokeParams): AsyncGenerator<AgentEvent> {
    const { runId, cwd, resume } = params.run;
    let problem: string;
    try {
      const agent = (await this.#siteFor(cwd)).agents.get(id);
      if (agent !== undefined) {
        yield* agent.invoke(params);
        return;
      }
      problem = `The agent "${id}" is not available in ${cwd ?? this.#startFolder}. Choose another one, or set it up there.`;
    } catch (error) {
      if (!SingletreeError.is(error)) throw error;
      problem = `The project of this conversation cannot be opened: ${errorText(error)}`;
    }
    if (resume?.agentId === undefined) yield startEvent(id, params.run, cwd);
    yield { type: 'error', runId, message: problem, code: 'agent_not_found', fatal: true };
    yield { type: 'harness_end', runId, agentId: id, reason: 'error' };
  }

  /** Returns the project of a thread's folder; a worktree has the configuration of its original folder. */
  async #siteFor(cwd: string | undefined): Promise<ProjectSite> {
    if (cwd === undefined) return this.#start;
    const isWorktree = cwd.startsWith(join(this.#home, 'worktrees') + sep);
    const records = isWorktree ? await this.#options.worktrees.records() : [];
    const folder = records.find(record => record.folder === cwd)?.origin ?? cwd;
    const real = await this.#options.roots.resolve(folder).catch(() => undefined);
    // The agent itself reports a folder that was removed.
    return real === undefined ? this.#start : this.#site(real);
  }

  async #findOpened(folder: string): Promise<ProjectSite> {
    const real = await this.#options.roots.resolve(folder);
    if (this.#isOpened(real)) return this.#site(real);
    throw new SingletreeError('not_found', `The folder "${folder}" is not an open project.`);
  }

  #isOpened(real: string): boolean {
    return this.#recent.list().some(({ folder }) => folder === real);
  }

  #site(real: string): Promise<ProjectSite> {
    const known = this.#sites.get(real);
    if (known !== undefined) return known;
    const opening = openSettings(real).then(opened => this.#create(opened));
    this.#sites.set(real, opening);
    // An unreadable configuration may be fixed before the next attempt.
    opening.catch(() => this.#sites.delete(real));
    return opening;
  }

  async #create({ settings, loaded }: ProjectSitesOptions['start']): Promise<ProjectSite> {
    const { yolo, isShared } = this.#options;
    const environment = isShared ? { ...settings.environment, base: 'short' as const } : settings.environment;
    const agents = await installedAgents({ ...settings, environment, yolo });
    this.#opened.push(agents);
    const folder = realpathSync(settings.cwd);
    const { setup } = settings.config.worktree ?? {};
    const worktrees =
      folder === this.#startFolder
        ? this.#options.worktrees
        : new Worktrees({ home: this.#home, folder, environment, ...defined({ setup }) });
    return { folder, loaded, agents, worktrees };
  }

  #describe(project: {
    readonly folder: string;
    readonly openedAt?: string;
    readonly loaded?: LoadedConfig;
  }): ProjectInfo {
    const { folder, openedAt, loaded } = project;
    const trust = loaded?.untrusted && { question: trustQuestionText, lines: describeUntrusted(loaded.untrusted) };
    return {
      folder,
      name: basename(folder) || folder,
      isStart: folder === this.#startFolder,
      ...defined({ openedAt, trust }),
    };
  }
}
