import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Policy } from '../agents/contract/permissions.ts';
import { optionsCheck } from '../base/options/check-options.ts';
import { callback, name, object } from '../base/options/option-fields.ts';
import type { Config } from './config-schema.ts';
import { environmentConfig } from './environment-config.ts';
import { type ConfigLayer, mergeConfig, type MergedConfig } from './merge-config.ts';
import { TrustedFolders } from './project-trust.ts';
import { configIn, isCode, nearestConfig, readConfig } from './config-file.ts';
import { untrusted } from './untrusted-config.ts';

export interface LoadConfigOptions {
  /** The folder to start from. */
  readonly cwd: string;
  /** The data folder, whose own configuration is the weakest layer. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** The settings of the command line: the strongest layer. */
  readonly flags?: Config;
  /** Asks the person whether to trust a folder; without it an unknown folder stays untrusted. */
  readonly askTrust?: (project: UntrustedProject) => Promise<boolean>;
}

const checkOptions = optionsCheck<LoadConfigOptions>('loadConfig')(() => ({
  cwd: name(),
  home: name(),
  env: object(),
  flags: object().optional(),
  askTrust: callback().optional(),
}));

/** A project folder that is not trusted yet. */
export interface UntrustedProject {
  readonly folder: string;
  readonly file: string;
  /** The effects of trusting the folder, one sentence each. */
  readonly brings: readonly string[];
}

export interface LoadedConfig extends MergedConfig {
  /** The files that were used, the strongest first. */
  readonly files: readonly string[];
  /** Set when the project's configuration applies only in part. */
  readonly untrusted?: UntrustedProject;
}

/** Loads the configuration of a folder: command line over environment over project over data folder. */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  checkOptions(options);
  const { cwd, env, flags = {} } = options;
  const home = resolve(options.home);
  const homeFile = configIn(home);
  const projectFile = nearestConfig(cwd, [home]);
  const below = homeFile === undefined ? [] : [await readLayer(homeFile)];
  const above: ConfigLayer[] = [
    { source: 'environment', config: environmentConfig(env) },
    { source: 'command line', config: flags },
  ];
  const ownDefault = mergeConfig([...below, ...above]).config.permissions?.default;
  const project = projectFile === undefined ? undefined : await projectLayer(projectFile, ownDefault, options);
  return {
    ...mergeConfig([...below, ...(project === undefined ? [] : [project.layer]), ...above]),
    files: [projectFile, homeFile].filter(file => file !== undefined),
    ...(project?.untrusted && { untrusted: project.untrusted }),
  };
}

async function projectLayer(
  file: string,
  ownDefault: Policy | undefined,
  { home, askTrust }: LoadConfigOptions,
): Promise<{ layer: ConfigLayer; untrusted?: UntrustedProject }> {
  const folder = dirname(file);
  const trusted = new TrustedFolders(home);
  // Files of the person's own home folder are as much theirs as those of the data folder.
  if (folder === homedir() || trusted.isTrusted(folder)) return { layer: await readLayer(file) };
  const { config, withheld } = isCode(file)
    ? { config: {}, withheld: [`runs the code of ${file}`] }
    : untrusted(await readConfig(file), ownDefault);
  if (withheld.length === 0) return { layer: { source: file, config: absolute(config, folder) } };
  const project = { folder, file, brings: withheld };
  if ((await askTrust?.(project)) === true) {
    trusted.add(folder);
    return { layer: await readLayer(file) };
  }
  return { layer: { source: file, config: absolute(config, folder) }, untrusted: project };
}

async function readLayer(file: string): Promise<ConfigLayer> {
  return { source: file, config: absolute(await readConfig(file), dirname(file)) };
}

/** Folders in a file are relative to the file. */
function absolute(config: Config, folder: string): Config {
  return config.skills === undefined ? config : { ...config, skills: config.skills.map(each => resolve(folder, each)) };
}
