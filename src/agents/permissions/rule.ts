import type { Policy, PermissionRule, PermissionRuleSet } from '../contract/permissions.ts';
import * as z from 'zod';
import { SingletreeError } from '../../base/singletree-error.ts';
import { parseCommandPattern } from './command-pattern.ts';
import { isWild } from './glob.ts';

const text = z.string().min(1);

/** The policy for a tool call: run it, ask a user, or refuse it. */
export const policy = z.enum(['allow', 'ask', 'deny']);

/** One rule: every selector that is present must match the call. */
export const permissionRule = z
  .strictObject({
    tool: text.optional().describe('the name of the tool; * is any characters'),
    category: text.optional().describe('the category of the tool'),
    input: z.record(text, z.string()).optional().describe('a glob for each argument, by name or dotted path'),
    command: text.optional().describe('a shell command such as "git status" or "npm test *"'),
    policy,
    reason: text.optional().describe('why, for the person and the model that read it'),
  })
  .superRefine((rule, context) => {
    const issue = findProblem(rule);
    if (issue !== undefined) context.addIssue({ code: 'custom', ...issue });
  });

/** The rules of a configuration file. */
export const permissionRules = z.strictObject({
  default: policy.optional().describe('what happens to a call that no rule matches: "ask" when absent'),
  rules: z.array(permissionRule),
});

/** Returns the rules when they are valid; throws `invalid_permission_rule`, naming the rule and the field. */
export function parsePermissionRules(value: unknown): PermissionRuleSet {
  const parsed = permissionRules.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  const problem = issue?.message.replace(/^Invalid input: /, '') ?? 'expected permission rules';
  const where = field === '' ? 'The permission rules are invalid' : `The permission rules are invalid at "${field}"`;
  throw new SingletreeError('invalid_permission_rule', `${where}: ${problem.replace(/\.$/, '')}.`, {
    details: { field, problem },
  });
}

const fields: ReadonlySet<string> = new Set(Object.keys(permissionRule.shape));

/** Whether an unvalidated rule has a selector and no unknown fields. */
export function isUnderstood(rule: PermissionRule): boolean {
  return namesCalls(rule) && Object.keys(rule).every(name => fields.has(name));
}

interface Selectors {
  tool?: string | undefined;
  category?: string | undefined;
  input?: Record<string, string> | undefined;
  command?: string | undefined;
  policy: Policy;
}

function namesCalls({ tool, category, command, input }: Selectors): boolean {
  return [tool, category, command].some(text => text !== undefined) || Object.keys(input ?? {}).length > 0;
}

function findProblem(rule: Selectors): { message: string; path: string[] } | undefined {
  const { command } = rule;
  if (!namesCalls(rule))
    return { message: 'a rule names a tool, a category, an input or a command; use "default" for the rest', path: [] };
  if (command === undefined) return undefined;
  try {
    const pattern = parseCommandPattern(command);
    if (rule.policy !== 'allow' || !isWild(pattern.words[0].glob)) return undefined;
    return {
      message: 'a command that is allowed is named without *; to allow every command, allow the tool',
      path: ['command'],
    };
  } catch (cause) {
    if (!SingletreeError.is(cause)) throw cause;
    return { message: cause.message, path: ['command'] };
  }
}
