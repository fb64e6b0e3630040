import { conversationCategory } from '../../../agents/permissions/tool-request.ts';
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
  toolCategories,
  type ToolCategory,
} from './permissions.ts';

/** The sources of the category of a tool. */
interface ToolCategories {
  /** Decides alone when it is set. */
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

  /** The names of tools that are hidden from every model: those denied by name. */
  get deniedTools(): readonly string[] {
    const { tools } = this.rules;
    return Object.keys(tools).filter(name => tools[name] === 'deny');
  }

  get grants(): SessionGrants {
    return this.#grants;
  }

  /** The category of a tool by name. */
  findCategory(toolName: string): ToolCategory | null {
    const { resolver, declared } = this.#categories;
    return resolver === undefined
      ? this.categoryOfCall({ tool: toolName, category: declared(toolName) })
      : resolver(toolName);
  }

  /**
   * The category of the tool of a call, which carries the tool's own one: `other` for an unknown one, null for none and
   * for built-in tools.
   */
  categoryOfCall({ tool, category }: NamedTool): ToolCategory | null {
    const { resolver } = this.#categories;
    if (resolver !== undefined) return resolver(tool);
    if (category === undefined || category === conversationCategory) return null;
    return toolCategories.find(known => known === category) ?? 'other';
  }

  grant(granted: Granted): void {
    const { tools, categories } = this.#grants;
    this.#grants =
      'toolName' in granted
        ? { categories, tools: new Set(tools).add(granted.toolName) }
        : { tools, categories: new Set(categories).add(granted.category) };
  }

  setForCategory(category: ToolCategory, policy: PermissionPolicy): void {
    const { tools, categories } = this.rules;
    this.#state.setSetting('permissionRules', { tools, categories: { ...categories, [category]: policy } });
  }

  setForTool(toolName: string, policy: PermissionPolicy): void {
    const { tools, categories } = this.rules;
    this.#state.setSetting('permissionRules', { categories, tools: { ...tools, [toolName]: policy } });
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
