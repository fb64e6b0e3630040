import { resolve } from 'node:path';
import type { EnvironmentPolicy } from '../../agents/process/environment.ts';
import type { Config } from '../../config/config-schema.ts';
import { type LoadConfigOptions, loadConfig, type LoadedConfig } from '../../config/load-config.ts';
import { trustQuestion, untrustedLines } from '../config.ts';
import { singletreeHome } from './home.ts';
import { printNotice } from '../../control/standard-output.ts';

/** The configuration that applies to a command, and the folders it refers to. */
export interface Settings {
  readonly config: Config;
  /** The folder that agents work in. */
  readonly cwd: string;
  /** The data folder. */
  readonly home: string;
  /** The policy for environment variables that agents, `bash` and setup commands get. */
  readonly environment: EnvironmentPolicy;
}

/** Loads the configuration for a folder; asks on a terminal whether to trust it, and notes on stderr what is withheld. */
export async function loadSettings(folder: string): Promise<Settings> {
  return (await askForSettings(folder)).settings;
}

/** Like `loadSettings`, and returns the source of each value. */
export async function askForSettings(folder: string): Promise<OpenedSettings> {
  const askTrust = trustQuestion();
  const opened = await openSettings(folder, askTrust);
  const { untrusted } = opened.loaded;
  if (untrusted !== undefined && askTrust === undefined)
    for (const line of untrustedLines(untrusted)) printNotice(line);
  return opened;
}

/** The settings of a folder and their sources. */
export interface OpenedSettings {
  readonly settings: Settings;
  readonly loaded: LoadedConfig;
}

/** Loads the configuration for a folder; without `askTrust` a folder that is not yet trusted stays untrusted. */
export async function openSettings(folder: string, askTrust?: LoadConfigOptions['askTrust']): Promise<OpenedSettings> {
  const [cwd, home] = [resolve(folder), singletreeHome()];
  const loaded = await loadConfig({ cwd, home, env: process.env, ...(askTrust && { askTrust }) });
  const { config, untrusted } = loaded;
  const environment: EnvironmentPolicy = { base: untrusted === undefined ? 'person' : 'short', ...config.env };
  return { settings: { config, cwd, home, environment }, loaded };
}
