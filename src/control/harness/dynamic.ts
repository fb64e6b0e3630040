import type { RequestContext } from './tools/request-context.ts';

/** Resolves a dynamic option for a request. */
export async function resolveDynamic<Value>(value: Dynamic<Value>, requestContext: RequestContext): Promise<Value> {
  return typeof value === 'function'
    ? (value as (context: { requestContext: RequestContext }) => Value | Promise<Value>)({ requestContext })
    : value;
}

/** A value, or a function that returns it for a request. */
export type Dynamic<Value> = Value | ((context: { readonly requestContext: RequestContext }) => Value | Promise<Value>);
