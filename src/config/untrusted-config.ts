import type { Policy } from '../agents/contract/permissions.ts';
import { defined } from '../base/defined.ts';
import { visibleLine } from '../base/terminal-text.ts';
import type { Config, ConfigData } from './config-schema.ts';

/** The allowed part of an untrusted folder's configuration, and a description of the rest. */
export interface UntrustedConfig {
  readonly config: Config;
  /** One sentence for each part that waits for trust. */
  readonly withheld: readonly string[];
}

/**
 * Splits a JSON configuration. Only rules that make decisions stricter apply: rules that deny, the default `deny`, and
 * rules that ask unless the person's own default is `deny`, which they would relax. Apart from them only the title of
 * the page applies, so that no setting starts programs, chooses agents or models, reads keys, moves data or hides
 * activity.
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
    env,
    chat,
    page,
    titles,
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
      ? `starts the program ${quoted([settings.command, ...(settings.args ?? [])].join(' '))} (MCP server ${shortName(name)})`
      : `connects to ${shown(settings.url)} (MCP server ${shortName(name)})`,
  );
  const providers = (models?.providers ?? []).map(({ id, baseURL, keyVariable }) =>
    keyVariable === undefined
      ? `sends prompts for ${shortName(id)}/… to ${shown(baseURL)}`
      : `sends prompts for ${shortName(id)}/… and the key in ${shown(keyVariable)} to ${shown(baseURL)}`,
  );
  const withheld = [
    ...(defaultAgent === undefined ? [] : [`starts the agent ${shortName(defaultAgent)} when none is named`]),
    ...(defaultModel === undefined ? [] : [`sends prompts to the model ${shown(defaultModel)} when none is named`]),
    ...(permissions?.default === undefined || permissions.default === 'deny'
      ? []
      : [`sets what happens to a call that no rule matches: ${permissions.default}`]),
    ...(allowed === 0 ? [] : [`allows calls without asking (${allowed} rule${allowed === 1 ? '' : 's'})`]),
    ...(asked === 0 ? [] : [`asks about calls that you deny by default (${asked} rule${asked === 1 ? '' : 's'})`]),
    ...(limits === undefined ? [] : ['sets the limits of spending']),
    ...programs,
    ...providers,
    ...(models?.offered === undefined ? [] : ['chooses the models that the page offers']),
    ...(skills === undefined ? [] : [`adds skills from ${skills.map(shown).join(', ')}`]),
    ...(subagents === undefined ? [] : [`adds the subagents ${Object.keys(subagents).map(shortName).join(', ')}`]),
    ...(store === undefined ? [] : ['stores conversations elsewhere']),
    ...(live === undefined ? [] : ['sends live events through another server']),
    ...(Object.keys(server ?? {}).some(key => key !== 'webhooks') ? ['changes who can reach the server'] : []),
    ...(server?.webhooks ?? []).map(({ url }) => `sends the events of conversations to ${shown(url)}`),
    ...(worktree?.setup === undefined ? [] : [`runs ${quoted(worktree.setup)} in each new worktree`]),
    ...(env === undefined ? [] : ['changes the variables that programs get']),
    ...(titles === undefined ? [] : ['chooses who names conversations']),
    ...(chat === undefined ? [] : ['changes how much of changes and outputs is shown']),
    ...(keys === undefined ? [] : ['changes what keys do, also the keys that approve']),
  ];
  return { config: defined({ permissions: strict, page: page && defined({ title: page.title }) }), withheld };
}

/** Returns a value for a sentence: unquoted if it cannot be mistaken for a part of the sentence, else in quotes. */
function shown(value: string): string {
  return /^[\w@.:/+~%?&=#-]+$/.test(value) ? value : quoted(value);
}

/** A value in quotes, in which every character is visible. */
function quoted(value: string): string {
  return visibleLine(JSON.stringify(value));
}

const longestName = 60;

/** Shortens a name that says nothing about an effect, so that it cannot push the effects out of sight. */
function shortName(name: string): string {
  return shown(name.length > longestName ? `${name.slice(0, longestName)}…` : name);
}
