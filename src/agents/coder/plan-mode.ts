import { decide, type Decision, type PermissionRuleSet, type ToolRequest } from '../permissions/index.ts';
import { commandArgument } from '../permissions/tool-request.ts';

/** Commands that only read, whatever arguments a `*` stands for. Any other command is asked about in plan mode. */
const readOnlyCommands = (
  'ls *; ls; cat *; head *; tail *; wc *; wc; grep *; stat *; file *; du *; du; pwd; git status; git status --short; ' +
  'git diff; git diff --stat; git diff --cached; git log; git log --oneline; git show; git branch'
).split('; ');

const readOnly: PermissionRuleSet = {
  default: 'ask',
  rules: readOnlyCommands.map(command => ({ command, policy: 'allow' })),
};

/** The categories of tools that change nothing outside the conversation. */
const harmless: ReadonlySet<string> = new Set(['read', 'agent', 'conversation']);

/**
 * Decides on calls while a plan is being made. It stands beside the rules, and the stricter decision wins: no rule that
 * allows a change applies. Reading is permitted, a command that is not known to only read is asked about, and an
 * earlier grant does not answer that question.
 */
export function planModeDecision(request: ToolRequest): Decision {
  if (commandArgument(request) !== undefined) {
    const { policy } = decide({ rules: readOnly }, request);
    return policy === 'allow'
      ? { policy, reason: 'it only reads' }
      : { policy: 'ask', reason: 'Plan mode: this command may change something' };
  }
  if (harmless.has(request.category ?? '')) return { policy: 'allow', reason: 'it changes nothing' };
  return {
    policy: 'deny',
    reason: `Plan mode: ${request.tool} would change something. Only read, then present the plan with submit_plan`,
  };
}
