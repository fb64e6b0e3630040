/**
 * The configuration: its files, their types and JSON Schema, and which project folders are trusted.
 * @module
 */
export { type Config, configJsonSchema, type ConfigData, defineConfig } from './config-schema.ts';
export { type LoadConfigOptions, loadConfig, type LoadedConfig, type UntrustedProject } from './load-config.ts';
export { masked } from './masked.ts';
export type { ConfigValue, MergedConfig } from './merge-config.ts';
export { RecentProjects } from './recent-projects.ts';
export { describeUntrusted, trustQuestionText } from './trust-text.ts';
export { TrustedFolders } from './project-trust.ts';
export { isSet, StoredProviders, type StoredServer, withStoredKeys } from './stored-providers.ts';
