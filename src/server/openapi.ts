import { defined } from '../base/defined.ts';
import * as z from 'zod';
import { problem } from '../protocols/http-api.ts';
import type { OtherContent, Route } from './route.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of these routes. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const each of routes) (paths[each.path] ??= {})[each.method] = operation(each);
  return {
    openapi: '3.1.0',
    info: { title: 'Singletree', version, description: 'Run agents, follow their events, answer what they ask.' },
    paths,
    components: {
      schemas: { Problem: toSchema(problem, 'output') },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'singletree_access' },
      },
    },
  };
}

function operation(route: Route): Json {
  const { method, path, right, tag, summary, status = 200, others = {} } = route;
  const content = requestContent(route);
  return {
    operationId: operationId(method, path),
    tags: [tag],
    summary,
    // The names in the lists are the roles that a caller needs.
    security: right === 'none' ? [] : [{}, { token: [right] }, { cookie: [right] }],
    parameters: [...pathParameters(path), ...queryParameters(route), ...headerParameters(route)],
    ...(content && { requestBody: { required: true, content } }),
    responses: {
      [status]: { description: summary, ...(route.answer && { content: answerContent(route.answer) }) },
      ...Object.fromEntries(Object.entries(others).map(([code, description]) => [code, { description }])),
      default: {
        description: 'It failed: the problem says why',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function operationId(method: string, path: string): string {
  const words = path.split(/[/{}._-]+/).filter(word => word !== '' && word !== 'api');
  return [method, ...words.map(word => word.replace(/^./, letter => letter.toUpperCase()))].join('');
}

function requestContent({ body, upload }: Route): Json | undefined {
  if (body !== undefined) return { 'application/json': { schema: toSchema(body, 'input') } };
  return upload && otherContent(upload);
}

function answerContent(answer: NonNullable<Route['answer']>): Json {
  if (answer instanceof z.ZodType) return { 'application/json': { schema: toSchema(answer, 'output') } };
  const contents = 'contentType' in answer ? [answer] : answer;
  return Object.fromEntries(contents.flatMap(each => Object.entries(otherContent(each))));
}

function otherContent({ contentType, description }: OtherContent): Json {
  return { [contentType]: { schema: { type: 'string', description } } };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }));
}

function queryParameters({ query }: Route): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = toSchema(query, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...defined({ description }),
    schema,
  }));
}

function headerParameters({ headers = {} }: Route): Json[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
