import { conversationCategory } from '../../../agents/permissions/conversation-category.ts';
import type { Decision, DecisionReview, ToolRequest } from '../../../agents/contract/permissions.ts';

export const permissionPolicies = ['allow', 'ask', 'deny'] as const;
export const toolCategories = ['read', 'edit', 'execute', 'mcp', 'other'] as const;

export type PermissionPolicy = (typeof permissionPolicies)[number];
export type ToolCategory = (typeof toolCategories)[number];

/** Policies of categories and of single tools. */
export interface PermissionRules {
  readonly categories: Readonly<Partial<Record<ToolCategory, PermissionPolicy>>>;
  readonly tools: Readonly<Record<string, PermissionPolicy>>;
}

/** Grants that apply until the harness is destroyed. */
export interface SessionGrants {
  readonly categories: ReadonlySet<ToolCategory>;
  readonly tools: ReadonlySet<string>;
}

/** The input of a permission decision. */
export interface PermissionSituation {
  readonly rules: PermissionRules;
  readonly grants: SessionGrants;
  readonly yolo: boolean;
  readonly category: ToolCategory | null;
}

export const noPermissionRules: PermissionRules = Object.freeze({
  categories: Object.freeze({}),
  tools: Object.freeze({}),
});
export const noSessionGrants: SessionGrants = { categories: new Set(), tools: new Set() };

/**
 * Decides about a call, in this order: a denied tool is denied; yolo allows; the policy of the tool applies; a granted
 * tool is allowed; a granted category is allowed; the policy of the category applies; else the decision of the agent's
 * own rules, `ask` when it has none for the call.
 */
export function resolvePermission(
  toolName: string,
  { rules, grants, yolo, category }: PermissionSituation,
  ruled: PermissionPolicy = 'ask',
): PermissionPolicy {
  const own = ownPolicy(rules.tools, toolName);
  if (own === 'deny') return 'deny';
  if (yolo) return 'allow';
  if (own !== undefined) return own;
  if (grants.tools.has(toolName)) return 'allow';
  if (category === null) return ruled;
  if (grants.categories.has(category)) return 'allow';
  return ownPolicy(rules.categories, category) ?? ruled;
}

/** The tools that a model may see: all except those denied by name. */
export function visibleTools<Named extends { readonly name: string }>(
  tools: readonly Named[],
  rules: PermissionRules,
): Named[] {
  return tools.filter(({ name }) => ownPolicy(rules.tools, name) !== 'deny');
}

/** The names of tools that are hidden from every model: those denied by name. */
export function deniedTools({ tools }: PermissionRules): string[] {
  return Object.keys(tools).filter(name => tools[name] === 'deny');
}

/**
 * Reviews each call by the rules in effect at that time; for the `permissions` of a run. A decision that stays is
 * returned unchanged, with its reason.
 */
export function permissionReview(situationOf: (request: ToolRequest) => PermissionSituation): DecisionReview {
  return {
    review: (request: ToolRequest, ruled: Decision): Decision => {
      const policy = resolvePermission(request.tool, situationOf(request), ruled.policy);
      return policy === ruled.policy ? ruled : { policy, reason: reasons[policy](request.tool) };
    },
  };
}

/** The category of the harness for a tool's own one: `other` for an unknown one, null for none and for built-in tools. */
export function harnessCategory(own: string | undefined): ToolCategory | null {
  if (own === undefined || own === conversationCategory) return null;
  return toolCategories.find(category => category === own) ?? 'other';
}

const reasons: Record<PermissionPolicy, (tool: string) => string> = {
  allow: tool => `${tool} is allowed`,
  ask: tool => `${tool} needs approval`,
  deny: tool => `${tool} is denied by the permissions of this harness`,
};

/** Returns the rules with a policy for a tool. */
export function withToolPolicy(rules: PermissionRules, toolName: string, policy: PermissionPolicy): PermissionRules {
  return { ...rules, tools: { ...rules.tools, [toolName]: policy } };
}

/** Returns the rules with a policy for a category. */
export function withCategoryPolicy(
  rules: PermissionRules,
  category: ToolCategory,
  policy: PermissionPolicy,
): PermissionRules {
  return { ...rules, categories: { ...rules.categories, [category]: policy } };
}

/** A granted tool or category. */
export type Granted = { readonly toolName: string } | { readonly category: ToolCategory };

/** Returns the grants with one more tool or category. */
export function withGrant(grants: SessionGrants, granted: Granted): SessionGrants {
  return 'toolName' in granted
    ? { ...grants, tools: new Set(grants.tools).add(granted.toolName) }
    : { ...grants, categories: new Set(grants.categories).add(granted.category) };
}

function ownPolicy(
  policies: Readonly<Record<string, PermissionPolicy | undefined>>,
  name: string,
): PermissionPolicy | undefined {
  return Object.hasOwn(policies, name) ? policies[name] : undefined;
}
