import { addJsonOption } from './command-options.ts';
import type { Command } from 'commander';
import { type JsonOption, printJson, printTable } from './print.ts';
import { listedCommand } from './command-list.ts';
import { isSet } from '../config/stored-providers.ts';
import { standardOutput } from '../control/standard-output.ts';

interface ModelsOptions extends JsonOption {
  readonly all?: boolean;
}

/** Adds `singletree models`, which lists the available models. */
export function addModelsCommand(program: Command): void {
  addJsonOption(listedCommand(program, 'models')).option('--all', 'also those whose key is not set').action(listModels);
}

async function listModels({ all = false, json = false }: ModelsOptions): Promise<void> {
  const [{ loadSettings }, { configuredRegistry, demoOffer, findModelServers, offeredModels, withoutModel }] =
    await Promise.all([import('./settings/settings.ts'), import('./coder.ts')]);
  const settings = await loadSettings('.');
  const { config, home } = settings;
  const local = await findModelServers(home);
  const registry = configuredRegistry(settings, local);
  const providers = new Map(registry.providers().map(provider => [provider.id, provider]));
  const offered = offeredModels(config, registry, local);
  const place = (id: string) => (offered.includes(id) ? offered.indexOf(id) : offered.length);
  const models = registry
    .models()
    .filter(({ provider }) => all || providers.get(provider)?.configured === true)
    .toSorted((a, b) => place(a.id) - place(b.id));
  if (json) {
    const known = models.map(model => ({ ...model, isUsable: providers.get(model.provider)?.configured === true }));
    const here = local.flatMap(({ provider: { id: provider }, models: names }) =>
      names.map(model => ({ id: `${provider}/${model}`, provider, model, isUsable: true })),
    );
    return printJson([...known, ...here]);
  }
  const rows = models.map(({ id, provider, contextWindow, prices }) => [
    id,
    contextWindow === undefined ? '' : `${Math.round(contextWindow / 1000)}k context`,
    prices === undefined ? '' : `$${prices.input} in, $${prices.output} out per 1M tokens`,
    `${describeKey(providers.get(provider))}${id === offered[0] ? ' (the default)' : ''}`,
  ]);
  await printTable(rows);
  const usable = [...providers.values()].filter(({ configured }) => configured);
  const servers = usable.filter(({ id }) => !models.some(({ provider }) => provider === id));
  for (const { id } of servers) {
    const names = local.find(({ provider }) => provider.id === id)?.models ?? ['…'];
    for (const name of names)
      await standardOutput.write(
        `${id}/${name}  ${names[0] === '…' ? 'any model of this server' : 'on this machine'}\n`,
      );
  }
  if (usable.length > 0) return;
  await standardOutput.write(`${withoutModel}\n${demoOffer}\n`);
}

function describeKey(provider: { readonly envVar?: string; readonly configured: boolean } | undefined): string {
  if (provider?.envVar === undefined) return 'no key needed';
  if (!provider.configured) return `set ${provider.envVar}`;
  return isSet(process.env[provider.envVar]) ? `key from ${provider.envVar}` : 'stored key';
}
