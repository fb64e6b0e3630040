import type { Policy } from '../agents/permissions/rule.ts';
import { defined } from '../events/defined.ts';
import type { Config, ConfigData } from './config-schema.ts';

/** What a file of a folder that is not trusted may set, and what it would bring beyond that. */
export interface UntrustedConfig {
  readonly config: Config;
  /** One sentence for each part that waits for trust. */
  readonly withheld: readonly string[];
}

/**
 * Splits a JSON configuration. What applies can only make decisions stricter: rules that deny, the default `deny`, rules
 * that ask unless the person's own default is `deny`, which they would lift. Beside it only the title of the page applies:
 * nothing starts programs, chooses agents or models, reads keys, moves data or hides what happens.
 */
export function untrusted(config: ConfigData, ownDefault: Policy | undefined): UntrustedConfig {
  const {
    defaultAgent,
    defaultModel,
    permissions,
    limits,
    mcpServers = {},
    models,
    skills,
    subagents,
    store,
    live,
    server,
    keys,
    worktree,
    chat,
    page,
  } = config;
  const applying = ownDefault === 'deny' ? ['deny'] : ['ask', 'deny'];
  const strict = permissions && {
    ...(permissions.default === 'deny' && { default: permissions.default }),
    rules: permissions.rules.filter(({ policy }) => applying.includes(policy)),
  };
  const countWithheld = (wanted: Policy) =>
    permissions?.rules.filter(({ policy }) => policy === wanted && !applying.includes(policy)).length ?? 0;
  const [allowed, asked] = [countWithheld('allow'), countWithheld('ask')];
  const programs = Object.entries(mcpServers).map(([name, settings]) =>
    'command' in settings
      ? `starts the program ${JSON.stringify([settings.command, ...(settings.args ?? [])].join(' '))} (MCP server ${name})`
      : `connects to ${settings.url} (MCP server ${name})`,
  );
  const providers = (models?.providers ?? []).map(({ id, baseURL, keyVariable }) =>
    keyVariable === undefined
      ? `sends prompts for ${id}/… to ${baseURL}`
      : `sends prompts for ${id}/… and the key in ${keyVariable} to ${baseURL}`,
  );
  const withheld = [
    ...(defaultAgent === undefined ? [] : [`starts the agent ${defaultAgent} when none is named`]),
    ...(defaultModel === undefined ? [] : [`sends prompts to the model ${defaultModel} when none is named`]),
    ...(permissions?.default === undefined || permissions.default === 'deny'
      ? []
      : [`sets what happens to a call that no rule matches: ${permissions.default}`]),
    ...(allowed === 0 ? [] : [`allows calls without asking (${allowed} rule${allowed === 1 ? '' : 's'})`]),
    ...(asked === 0 ? [] : [`asks about calls that you deny by default (${asked} rule${asked === 1 ? '' : 's'})`]),
    ...(limits === undefined ? [] : ['sets the limits of spending']),
    ...programs,
    ...providers,
    ...(models?.offered === undefined ? [] : ['chooses the models that the page offers']),
    ...(skills === undefined ? [] : [`adds skills from ${skills.join(', ')}`]),
    ...(subagents === undefined ? [] : [`adds the subagents ${Object.keys(subagents).join(', ')}`]),
    ...(store === undefined ? [] : ['stores conversations elsewhere']),
    ...(live === undefined ? [] : ['sends live events through another server']),
    ...(server === undefined ? [] : ['changes who can reach the server']),
    ...(worktree?.setup === undefined ? [] : [`runs ${JSON.stringify(worktree.setup)} in each new worktree`]),
    ...(chat === undefined ? [] : ['changes how much of changes and outputs is shown']),
    ...(keys === undefined ? [] : ['changes what keys do, also the keys that approve']),
  ];
  return { config: defined({ permissions: strict, page: page && defined({ title: page.title }) }), withheld };
}
