import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { type Operation, operationsOf, valid } from './open-api.ts';

/** For how long requests are made up at least, in milliseconds. */
const budget = Number(process.env['SINGLETREE_FUZZ_MS'] ?? (process.env['CI'] ? 20_000 : 3_000));

const agent = scriptedAgent('agent', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('text', { id: 't', content: 'hello' });
  yield event('relay', { id, relayKind: 'permission', toolCallId: 'c', tool: 'shell', params: {} });
  await answer(id);
});

const failures: unknown[] = [];
let server: TestServer;
let operations: Operation[];
beforeAll(async () => {
  const onFailure = (error: unknown) => void failures.push(error);
  server = await startTestServer([agent], { onFailure, logStyle: 'off' });
  operations = await operationsOf(server.url);
});
afterAll(() => server.close());

type Known = Readonly<Record<string, readonly string[]>>;

/** Values that are there, by the names under which requests use them, so that they get further than "not found". */
async function known(): Promise<Known> {
  let threads = await server.log.listThreads({ limit: 3 });
  if (threads.length === 0) threads = [await server.log.createThread()];
  const threadId = threads.map(({ id }) => id);
  const runId = server.control
    .running()
    .slice(-3)
    .map(run => run.runId);
  const relayId = runId.map(id => `${id}/ask`);
  return { threadId, id: threadId, runId, relayId, messageId: runId, nodeId: runId, edits: runId, agent: ['agent'] };
}

const noise = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('..', '0', '-1', '1e9', '%', '\0'),
);
const request = fc.record({
  at: fc.nat(),
  pick: fc.nat(),
  isKnown: fc.integer({ min: 0, max: 9 }).map(number => number < 8),
  noise,
  body: fc.record({ seed: fc.nat(), breakage: fc.constantFrom('none', 'none', 'drop', 'wrong', 'extra', 'text') }),
  query: fc.array(fc.tuple(fc.nat(), fc.boolean(), noise), { maxLength: 3 }),
});
type Made = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

async function send(made: Made): Promise<{ what: string; status: number }> {
  // What takes no input is asked for less often.
  const weighted = [...operations, ...Array.from({ length: 4 }, () => operations.filter(hasInput)).flat()];
  const operation = weighted[made.at % weighted.length] as Operation;
  const ids = await known();
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const pool = ids[name] ?? [];
    const value = made.isKnown ? pool[made.pick % pool.length] : made.noise;
    return encodeURIComponent(wellFormed(value ?? 'none'));
  });
  const query = new URLSearchParams();
  const parameters = operation.parameters.filter(each => each.in === 'query');
  for (const [at, isValid, text] of made.query) {
    const parameter = parameters[at % Math.max(1, parameters.length)];
    const value = parameter && isValid ? one(valid(parameter.schema), at) : text;
    query.set(parameter?.name ?? 'extra', String(value));
  }
  const body = bodyOf(operation, made.body, made.isKnown ? ids : {});
  const what = `${operation.method} ${path}?${query.toString()} ${String(body)}`;
  const gone = new AbortController();
  const headers = { 'content-type': operation.upload ?? 'application/json' };
  const response = await fetch(`${server.url}${path}?${query.toString()}`, {
    method: operation.method,
    redirect: 'manual',
    signal: AbortSignal.any([gone.signal, AbortSignal.timeout(10_000)]),
    ...(body !== undefined && { body, headers }),
  });
  gone.abort();
  return { what, status: response.status };
}

function hasInput({ parameters, body }: Operation): boolean {
  return parameters.length > 0 || body !== undefined;
}

function bodyOf({ body, upload }: Operation, { seed, breakage }: Made['body'], ids: Known): string | undefined {
  if (upload !== undefined) return one(noise, seed);
  if (body === undefined) return undefined;
  if (breakage === 'text') return one(noise, seed);
  const value = one(valid(body), seed) as Record<string, unknown>;
  const keys = Object.keys(value);
  for (const name of keys) value[name] = ids[name]?.[seed % (ids[name]?.length ?? 1)] ?? value[name];
  const key = keys[seed % Math.max(1, keys.length)];
  if (breakage === 'drop' && key !== undefined) delete value[key];
  if (breakage === 'wrong' && key !== undefined) value[key] = one(fc.jsonValue(), seed);
  if (breakage === 'extra') value[one(fc.string(), seed)] = seed;
  return JSON.stringify(value);
}

function one<Value>(arbitrary: fc.Arbitrary<Value>, seed: number): Value {
  return fc.sample(arbitrary, { numRuns: 1, seed })[0] as Value;
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '�') || 'none';
}

describe('requests made up from the OpenAPI document', () => {
  it('never break the server', { timeout: budget + 60_000 }, async () => {
    const statuses = new Map<number, number>();
    const property = fc.asyncProperty(request, async made => {
      const { what, status } = await send(made);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect([what, status >= 500, failures]).toEqual([what, false, []]);
    });
    const wanted = [200, 201, 202, 400, 404];
    const start = performance.now();
    // A slow machine takes longer to reach every kind of answer.
    do await fc.assert(property, { numRuns: 100 });
    while (performance.now() - start < budget || !wanted.every(status => statuses.has(status)));
  });
});
