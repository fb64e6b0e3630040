import type { Worktrees } from '../control/worktrees/worktrees.ts';
import type {
  RulesInfo,
  SavedRuleBody,
  ModelProviderBody,
  ModelProviderInfo,
  ModelProviderTest,
} from '../protocols/http-settings.ts';
import type { OfferedAgents } from '../control/conversations/sent-message.ts';
import type { AgentInfo, SetupInfo } from '../protocols/http-agents.ts';
import type { FolderList, ProjectInfo, TrustBody } from '../protocols/http-folders.ts';

/** The folders that people of a server work in, each with its own configuration and agents. */
export interface ProjectHost {
  /** The folders that were opened, the newest first. */
  listProjects(): Promise<readonly ProjectInfo[]>;
  /**
   * Opens a folder as a project. Throws `not_found` for one that does not exist and `request_forbidden` for one that is
   * neither below the roots nor was opened in a terminal, wherever links lead.
   */
  openProject(folder: string): Promise<ProjectInfo>;
  /** Returns a project that was opened before; throws `not_found` for any other folder. */
  findProject(folder: string): Promise<ProjectInfo>;
  /** Trusts the configuration of an opened project; throws `trust_changed` when it would do something else than the lines say. */
  trustProject(request: TrustBody): Promise<ProjectInfo>;
  /** Lists the folders in a folder below the roots, or the roots. */
  listFolders(path?: string): Promise<FolderList>;
  /** The agents of an opened project. */
  findAgents(folder: string): Promise<AgentDirectory>;
  /** The worktrees of an opened project, prepared by its configuration. */
  findWorktrees(folder: string): Promise<Worktrees>;
  /** The rules, MCP servers and skills of an opened project. */
  describeRules(folder?: string): Promise<RulesInfo>;
  /** Saves a rule that allows exactly one command, in all conversations from their next call on. */
  saveRule(rule: SavedRuleBody): Promise<void>;
  /** Removes a saved rule; throws `not_found`. */
  removeRule(id: string): Promise<void>;
}

/** Stores and tests the keys of providers for a server. What it returns never contains a key. */
export interface ProviderHost {
  list(): Promise<readonly ModelProviderInfo[]>;
  /** Stores a key or a server; agents use it from their next call on. Throws `invalid_argument` for what is not a provider. */
  store(provider: ModelProviderBody): Promise<void>;
  /** Asks the provider for one short answer; throws `not_found` for an unknown provider. */
  test(id: string): Promise<ModelProviderTest>;
  /** Removes what was stored; throws `not_found` when nothing was. */
  remove(id: string): Promise<void>;
}

/** The agents a server offers; the first of the list is the one that is asked when none is named. */
export interface AgentDirectory extends OfferedAgents {
  list(): readonly AgentInfo[];
  /** Returns the known agents and provider keys and how to add missing ones; absent when the host cannot tell. */
  setup?(): SetupInfo;
}
