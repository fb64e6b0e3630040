import { builtInCoderRules } from '../../agents/coder/coder-agent.ts';
import type { PermissionRule, Policy } from '../../agents/contract/permissions.ts';
import type { ConfigValue } from '../../config/merge-config.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { StoredRule, StoredRules } from '../../config/stored-rules.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { RulesInfo } from '../../protocols/http-settings.ts';
import type { CoderEquipment } from '../coder.ts';

const builtIn = 'built in';
const savedSource = 'saved for all conversations';

/** Describes the permissions of a folder: every rule with its source, MCP servers with their tools, and skills. */
export function describeRules(
  folder: string,
  { config, values }: Pick<LoadedConfig, 'config' | 'values'>,
  { equipment, saved }: { readonly equipment: CoderEquipment | undefined; readonly saved: readonly StoredRule[] },
): RulesInfo {
  const chosen = values.find(({ path }) => path === 'permissions.default');
  const { default: usual = 'ask', rules } = builtInCoderRules;
  return {
    folder,
    fallback: { policy: (chosen?.value as Policy | undefined) ?? usual, source: chosen?.source ?? builtIn },
    rules: [
      ...saved.map(({ id, rule }) => ({ ...defined(rule), id, source: savedSource })),
      ...values
        .filter(({ path }) => /^permissions\.rules\.\d+$/.test(path))
        .map(({ value, source }) => ({ ...defined(value as PermissionRule), source })),
      ...rules.map(rule => ({ ...defined(rule), source: builtIn })),
    ],
    servers: Object.keys(config.mcpServers ?? {}).map(name => describeServer(name, values, equipment)),
    skills: (equipment?.skills ?? []).map(({ name, description, path }) => ({ name, description, path })),
  };
}

/** Removes a rule that was saved for all conversations; throws `not_found`. */
export function removeSavedRule(stored: StoredRules, id: string): void {
  if (!stored.remove(id)) throw new SingletreeError('not_found', `There is no saved rule "${id}".`);
}

function describeServer(
  name: string,
  values: readonly ConfigValue[],
  equipment: CoderEquipment | undefined,
): RulesInfo['servers'][number] {
  const source = values.find(({ path }) => path === `mcpServers.${name}`)?.source ?? '';
  if (equipment === undefined) return { name, source, state: 'unused', tools: [] };
  const failure = equipment.mcp.failures.find(each => each.name === name);
  if (failure !== undefined) return { name, source, state: 'down', problem: failure.error.message, tools: [] };
  const found = equipment.mcp.sources.find(each => each.name === name);
  const { state, problem } = found?.status ?? { state: 'closed' as const };
  return { name, source, state, tools: (found?.tools() ?? []).map(tool => tool.name), ...defined({ problem }) };
}
