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

/** The project folders of a server, each with its own configuration and agents. */
export interface ProjectHost {
  /** Lists the opened projects, newest first. */
  listProjects(): Promise<readonly ProjectInfo[]>;
  /**
   * Opens a folder as a project. Throws `not_found` for a missing folder, and `request_forbidden` for one whose real
   * path is not below the roots and that was not opened in a terminal.
   */
  openProject(folder: string): Promise<ProjectInfo>;
  /** Returns a project that was opened before; throws `not_found` for any other folder. */
  findProject(folder: string): Promise<ProjectInfo>;
  /** Trusts the configuration of an open project; throws `trust_changed` when it no longer matches the lines. */
  trustProject(request: TrustBody): Promise<ProjectInfo>;
  /** Lists the subfolders of a folder below the roots, or the roots. */
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
  /** Stores a key or a server; agents use it from their next call on. Throws `invalid_argument` when it is neither. */
  store(provider: ModelProviderBody): Promise<void>;
  /** Asks the provider for one short answer; throws `not_found` for an unknown provider. */
  test(id: string): Promise<ModelProviderTest>;
  /** Removes a stored key or server; throws `not_found` when nothing is stored. */
  remove(id: string): Promise<void>;
}

/** The agents that a server offers; the first of the list is the default. */
export interface AgentDirectory extends OfferedAgents {
  list(): readonly AgentInfo[];
  /** Returns the known agents and provider keys and how to add missing ones; absent when the host cannot tell. */
  setup?(): SetupInfo;
}
