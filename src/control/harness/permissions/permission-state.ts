import type { StateStore } from '../settings/state-store.ts';
import {
  type Granted,
  harnessCategory,
  noPermissionRules,
  noSessionGrants,
  type PermissionRules,
  type PermissionPolicy,
  type PermissionSituation,
  resolvePermission,
  type SessionGrants,
  type ToolCategory,
  withCategoryPolicy,
  withGrant,
  withToolPolicy,
} from './permissions.ts';

/** The sources of the category of a tool. */
export interface ToolCategories {
  /** Decides alone when it is given. */
  readonly resolver: ((toolName: string) => ToolCategory | null) | undefined;
  /** Returns the category that the tool of this name declares itself. */
  readonly declared: (toolName: string) => string | undefined;
}

/** A tool by name, with its own category when the caller has it. */
interface NamedTool {
  readonly tool: string;
  readonly category?: string | undefined;
}

/** The permissions in effect: the rules of the state, and the grants of this session. */
export class PermissionState {
  readonly #state: StateStore;
  readonly #categories: ToolCategories;
  #grants: SessionGrants = noSessionGrants;

  constructor(state: StateStore, categories: ToolCategories) {
    this.#state = state;
    this.#categories = categories;
  }

  get rules(): PermissionRules {
    return this.#state.setting('permissionRules') ?? noPermissionRules;
  }

  get grants(): SessionGrants {
    return this.#grants;
  }

  /** The category of a tool by name. */
  categoryOf(toolName: string): ToolCategory | null {
    const { resolver, declared } = this.#categories;
    return resolver === undefined ? harnessCategory(declared(toolName)) : resolver(toolName);
  }

  /** The category of the tool of a call, which carries the tool's own one. */
  categoryOfCall({ tool, category }: NamedTool): ToolCategory | null {
    const { resolver } = this.#categories;
    return resolver === undefined ? harnessCategory(category) : resolver(tool);
  }

  grant(granted: Granted): void {
    this.#grants = withGrant(this.#grants, granted);
  }

  setForCategory(category: ToolCategory, policy: PermissionPolicy): void {
    this.#state.setSetting('permissionRules', withCategoryPolicy(this.rules, category, policy));
  }

  setForTool(toolName: string, policy: PermissionPolicy): void {
    this.#state.setSetting('permissionRules', withToolPolicy(this.rules, toolName, policy));
  }

  /** The rules and grants in effect for a call. */
  readonly situationOf = (call: NamedTool): PermissionSituation => ({
    rules: this.rules,
    grants: this.#grants,
    yolo: this.#state.setting('yolo') === true,
    category: this.categoryOfCall(call),
  });

  /** Whether a call that the agent asks about may run without approval now. */
  allows(call: NamedTool): boolean {
    return resolvePermission(call.tool, this.situationOf(call)) === 'allow';
  }
}
