import type { StateStore } from '../settings/state-store.ts';
import {
  type Granted,
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

/** The permissions in effect: the rules of the state, and the grants of this session. */
export class PermissionState {
  readonly #state: StateStore;
  readonly #categoryOf: (toolName: string) => ToolCategory | null;
  #grants: SessionGrants = noSessionGrants;

  constructor(state: StateStore, categoryOf: ((toolName: string) => ToolCategory | null) | undefined) {
    this.#state = state;
    this.#categoryOf = categoryOf ?? (() => null);
  }

  get rules(): PermissionRules {
    return this.#state.setting('permissionRules') ?? noPermissionRules;
  }

  get grants(): SessionGrants {
    return this.#grants;
  }

  categoryOf(toolName: string): ToolCategory | null {
    return this.#categoryOf(toolName);
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

  /** The rules and grants in effect for a tool. */
  readonly situationOf = (toolName: string): PermissionSituation => ({
    rules: this.rules,
    grants: this.#grants,
    yolo: this.#state.setting('yolo') === true,
    category: this.categoryOf(toolName),
  });

  /** Whether a tool may run without approval now. */
  allows(toolName: string): boolean {
    return resolvePermission(toolName, this.situationOf(toolName)) === 'allow';
  }
}
