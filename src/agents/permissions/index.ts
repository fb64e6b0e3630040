/**
 * Permissions: which tool calls run, which a person is asked about, which are refused.
 * @module
 */
export { checkSources, toRuleSet } from './check-sources.ts';
export {
  type Decision,
  type DecisionReview,
  type DecisionSource,
  decide,
  decideAll,
  isReview,
  type Permissions,
} from './decide.ts';
export { type Grant, grant, grantCovers, grantFor, type Remember } from './grants.ts';
export {
  type PermissionRule,
  type PermissionRuleSet,
  type Policy,
  parsePermissionRules,
  permissionRule,
  permissionRules,
} from './rule.ts';
export { matchCommand } from './shell-pattern.ts';
export type { RequestPaths, ToolRequest } from './tool-request.ts';
