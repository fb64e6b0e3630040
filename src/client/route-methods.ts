import * as z from 'zod';
import { type HttpRoute, type HttpRoutes, httpRoutes } from '../protocols/http-routes.ts';

type PathValues<Path> = Path extends `${string}{${string}}${infer Rest}` ? [value: string, ...PathValues<Rest>] : [];

/** The body of a route, or the query of one that has no body. */
type Input<Route> = Route extends { body: infer Body extends z.ZodType }
  ? Record<string, never> extends z.input<Body>
    ? [body?: z.input<Body>]
    : [body: z.input<Body>]
  : [query?: object];

type Answer<Route> = Route extends { answer: infer Schema extends z.ZodType } ? z.infer<Schema> : void;

/** A method for each route: it takes the values of the path in their order, then the body or the query. */
export type RouteMethods = {
  readonly [Name in keyof HttpRoutes]: (
    ...given: [...PathValues<HttpRoutes[Name]['path']>, ...Input<HttpRoutes[Name]>]
  ) => Promise<Answer<HttpRoutes[Name]>>;
};

const anything = z.unknown();

/** Makes the methods of the routes; `call` sends a request and returns its answer, checked by the schema. */
export function routeMethods(
  call: (path: string, init: RequestInit, answer: z.ZodType) => Promise<unknown>,
): RouteMethods {
  const methods = Object.entries<HttpRoute>(httpRoutes).map(
    ([name, { method: verb, path: pattern, answer = anything }]) => {
      const method = (...given: unknown[]) => {
        const values = [...given];
        const path = pattern.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(values.shift())));
        const input = values[0] ?? {};
        const init = { method: verb.toUpperCase() };
        if (verb === 'get' || verb === 'delete') return call(path + encodeQuery(input), init, answer);
        const headers = { 'content-type': 'application/json' };
        return call(path, { ...init, headers, body: JSON.stringify(input) }, answer);
      };
      return [name, method] as const;
    },
  );
  return Object.fromEntries(methods) as RouteMethods;
}

/** Returns a path whose values are encoded. */
export function encodePath(parts: TemplateStringsArray, ...values: string[]): string {
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent));
}

/** Returns the query of the fields that are set; lists are joined with commas. */
export function encodeQuery(filter: object): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(filter)) if (value !== undefined) query.set(key, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}
