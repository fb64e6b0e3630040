import type { Config, ConfigData } from './config-schema.ts';

/** What a file of a folder that is not trusted may set, and what it would bring beyond that. */
export interface UntrustedConfig {
  readonly config: Config;
  /** One sentence for each part that waits for trust. */
  readonly withheld: readonly string[];
}

/** Splits a JSON configuration: nothing that widens permissions, starts programs, reads keys or moves data applies. */
export function untrusted(config: ConfigData): UntrustedConfig {
  const {
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
    $schema: _,
    ...harmless
  } = config;
  const strict = permissions && {
    ...(permissions.default === 'deny' && { default: permissions.default }),
    rules: permissions.rules.filter(({ policy }) => policy !== 'allow'),
  };
  const allowed = permissions?.rules.filter(({ policy }) => policy === 'allow').length ?? 0;
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
    ...(permissions?.default === undefined || permissions.default === 'deny'
      ? []
      : [`sets what happens to a call that no rule matches: ${permissions.default}`]),
    ...(allowed === 0 ? [] : [`allows calls without asking (${allowed} rule${allowed === 1 ? '' : 's'})`]),
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
    ...(keys === undefined ? [] : ['changes what keys do, also the keys that approve']),
  ];
  return { config: { ...harmless, ...(strict && { permissions: strict }) }, withheld };
}
