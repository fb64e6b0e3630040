import * as z from 'zod';
import { openApiDocument } from '../openapi.ts';
import { type Route, route } from '../route.ts';
import { escapeHtml, htmlPage } from '../html-pages.ts';

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

const parameter = z.looseObject({
  name: z.string(),
  in: z.string(),
  required: z.boolean(),
  description: z.string().optional(),
});
const operation = z.looseObject({
  summary: z.string(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(parameter),
  requestBody: z.looseObject({ content: z.record(z.string(), z.unknown()) }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({ description: z.string(), content: z.record(z.string(), z.unknown()).optional() }),
  ),
});
const document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });

/** The page that shows an OpenAPI document to a person. */
function referencePage(openApi: unknown): string {
  const groups = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.parse(openApi).paths))
    for (const [method, each] of Object.entries(methods)) {
      const tag = each.tags[0] ?? '';
      groups.set(tag, [...(groups.get(tag) ?? []), section(method, path, each)]);
    }
  const body = [...groups].map(([tag, sections]) => `<h2>${escapeHtml(tag)}</h2>\n${sections.join('\n')}`).join('\n');
  const intro = 'Made from <a href="/api/openapi.json"><code>/api/openapi.json</code></a>.';
  return htmlPage('HTTP reference · Singletree', `<main>\n<h1>HTTP reference</h1>\n<p>${intro}</p>\n${body}\n</main>`);
}

function section(method: string, path: string, each: z.infer<typeof operation>): string {
  const { summary, security, parameters, requestBody, responses } = each;
  const right = security.flatMap(({ token = [] }) => token)[0];
  const rows = parameters.map(
    ({ name, in: where, required, description = '' }) =>
      `<tr><td><code>${escapeHtml(name)}</code><td>${escapeHtml(where)}${required ? ', required' : ''}<td>${escapeHtml(description)}`,
  );
  const answers = Object.entries(responses).map(
    ([status, { description, content }]) =>
      `<tr><td><code>${escapeHtml(status)}</code><td>${escapeHtml(Object.keys(content ?? {}).join(', '))}<td>${escapeHtml(description)}`,
  );
  return `<section>
<h3><b>${escapeHtml(method)}</b> <code>${escapeHtml(path)}</code></h3>
<p>${escapeHtml(summary)}${right === undefined ? '' : `. Needs the right <code>${escapeHtml(right)}</code>`}</p>
<table>${[...rows, ...answers].join('\n')}</table>
${requestBody === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(requestBody.content, undefined, 2))}</pre>`}
</section>`;
}
