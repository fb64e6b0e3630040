import { SingletreeError } from '../../base/singletree-error.ts';
import type { ProviderHost } from '../hosts.ts';
import { type Route, route } from '../route.ts';
import { checkOwner, type Scope } from '../security/caller.ts';
import type { Site } from '../site.ts';
import { httpRoutes } from '../../protocols/http-routes.ts';

const tag = 'Settings';

/** The keys of providers of models and servers of models; a token of one resource does not open them. */
export function providerRoutes(site: Site): Route[] {
  const hostFor = (scope: Scope): ProviderHost => {
    checkOwner(scope, 'The keys of providers');
    const { providers } = site.options;
    if (providers !== undefined) return providers;
    throw new SingletreeError('not_found', 'This server does not store keys. Set them in its environment.');
  };
  return [
    route(tag, httpRoutes.listProviders, {
      right: 'administer',
      summary: 'List the providers of models and where their keys come from, never the keys',
      handle: async ({ scope }) => ({ providers: await hostFor(scope).list() }),
    }),
    route(tag, httpRoutes.storeProvider, {
      right: 'administer',
      summary: 'Store the key of a provider, or a server of models; agents use it at once',
      handle: async ({ scope, body }) => {
        const host = hostFor(scope);
        // Hide the key before any output can contain it.
        if (body.key !== undefined) site.redactor.add([body.key]);
        await host.store(body);
        return { providers: await host.list() };
      },
    }),
    route(tag, httpRoutes.testProvider, {
      right: 'administer',
      summary: 'Ask a provider for one short answer, to see whether its key works',
      handle: ({ scope, param }) => hostFor(scope).test(param('providerId')),
    }),
    route(tag, httpRoutes.removeProvider, {
      right: 'administer',
      summary: 'Remove the stored key of a provider, or a server that was added',
      status: 204,
      handle: ({ scope, param }) => hostFor(scope).remove(param('providerId')),
    }),
  ];
}
