import { resolve } from 'node:path';
import type { EnvironmentPolicy } from '../../agents/index.ts';
import { type Config, loadConfig } from '../../config/index.ts';
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
  /** Which variables of the person agents, `bash` and setup commands get. */
  readonly environment: EnvironmentPolicy;
}

/** Loads the configuration for a folder; asks on a terminal whether to trust it, and notes on stderr what is withheld. */
export async function loadSettings(folder: string): Promise<Settings> {
  const [cwd, home] = [resolve(folder), singletreeHome()];
  const askTrust = trustQuestion();
  const { config, untrusted } = await loadConfig({ cwd, home, env: process.env, ...(askTrust && { askTrust }) });
  if (untrusted !== undefined && askTrust === undefined)
    for (const line of untrustedLines(untrusted)) printNotice(line);
  const environment: EnvironmentPolicy = { base: untrusted === undefined ? 'person' : 'short', ...config.env };
  return { config, cwd, home, environment };
}
