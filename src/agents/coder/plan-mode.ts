import { isAbsolute } from 'node:path';
import { decide } from '../permissions/decide.ts';
import type { Decision, PermissionRuleSet, ToolRequest } from '../contract/permissions.ts';
import { commandArgument, conversationCategory } from '../permissions/tool-request.ts';
import { isPlainRepository } from './plain-repository.ts';

/** Commands that only read with any arguments in place of `*`. Plan mode asks about every other command. */
const readOnly = rulesFor('ls *; ls; cat *; head *; tail *; wc *; wc; grep *; stat *; file *; du *; du; pwd');

/** Commands that only read in a repository that starts no program. */
const readOnlyByGit = rulesFor(
  'git status; git status --short; git diff; git diff --stat; git diff --cached; git log; git log --oneline; git show; ' +
    'git branch',
);

function rulesFor(commands: string): PermissionRuleSet['rules'] {
  return commands.split('; ').map(command => ({ command, policy: 'allow' }));
}

/** The categories of tools without effects outside the conversation. */
const harmless: ReadonlySet<string> = new Set(['read', 'agent', conversationCategory]);

/**
 * Decides on calls in plan mode. The rules apply as well and the stricter decision wins, so no rule can allow a change.
 * Allows reading, and asks about commands that are not known to only read, regardless of earlier grants. Allows git
 * commands that only read when the repository cannot start a program.
 */
export function planModeDecision(request: ToolRequest): Decision {
  if (commandArgument(request) !== undefined) {
    const allows = (rules: PermissionRuleSet['rules']) => decide({ rules: { rules } }, request).policy === 'allow';
    const folder = request.paths?.['workdir']?.[0]?.resolved.find(isAbsolute);
    return allows(readOnly) ||
      (allows([...readOnly, ...readOnlyByGit]) && folder !== undefined && isPlainRepository(folder))
      ? { policy: 'allow', reason: 'it only reads' }
      : { policy: 'ask', reason: 'Plan mode: this command may change something' };
  }
  if (harmless.has(request.category ?? '')) return { policy: 'allow', reason: 'it changes nothing' };
  return {
    policy: 'deny',
    reason: `Plan mode: ${request.tool} would change something. Only read, then present the plan with submit_plan`,
  };
}
