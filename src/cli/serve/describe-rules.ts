import { builtInCoderRules } from '../../agents/coder/coder-agent.ts';
import type { PermissionRule, Policy } from '../../agents/index.ts';
import type { ConfigValue, LoadedConfig } from '../../config/index.ts';
import { defined } from '../../events/defined.ts';
import type { RulesInfo } from '../../protocols/index.ts';
import type { CoderEquipment } from '../coder.ts';

const builtIn = 'built in';

/** Describes what decides about calls in a folder: every rule with its source, MCP servers with their tools, and skills. */
export function describeRules(
  folder: string,
  { config, values }: Pick<LoadedConfig, 'config' | 'values'>,
  equipment: CoderEquipment | undefined,
): RulesInfo {
  const chosen = values.find(({ path }) => path === 'permissions.default');
  const { default: usual = 'ask', rules } = builtInCoderRules;
  return {
    folder,
    fallback: { policy: (chosen?.value as Policy | undefined) ?? usual, source: chosen?.source ?? builtIn },
    rules: [
      ...values
        .filter(({ path }) => /^permissions\.rules\.\d+$/.test(path))
        .map(({ value, source }) => ({ ...defined(value as PermissionRule), source })),
      ...rules.map(rule => ({ ...defined(rule), source: builtIn })),
    ],
    servers: Object.keys(config.mcpServers ?? {}).map(name => describeServer(name, values, equipment)),
    skills: (equipment?.skills ?? []).map(({ name, description, path }) => ({ name, description, path })),
  };
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
