import { openApiDocument } from '../openapi.ts';
import { referencePage } from '../reference-page.ts';
import { type Route, route } from '../route.ts';

const tag = 'Reference';

/** The description of all routes, these included. */
export function referenceRoutes(others: readonly Route[], version: string): Route[] {
  const routes: Route[] = [
    route({
      method: 'get',
      path: '/api/openapi.json',
      right: 'read',
      tag,
      summary: 'The OpenAPI document of this server',
      answer: { contentType: 'application/json', description: 'OpenAPI 3.1' },
      handle: () => openApi,
    }),
    route({
      method: 'get',
      path: '/api/reference',
      right: 'read',
      tag,
      summary: 'The same for a person',
      answer: { contentType: 'text/html', description: 'The page' },
      handle: () => new Response(page, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    }),
  ];
  const openApi = openApiDocument([...others, ...routes], version);
  const page = referencePage(openApi);
  return routes;
}
