import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool, loopAgent } from '../src/agents/index.ts';
import { createClient } from '../src/client/index.ts';
import { Conversations, type ContextOf, Harness, RequestContext, Supervisor } from '../src/control/index.ts';
import { MemoryLog } from '../src/log/index.ts';
import { createRuntime, RuntimeContext } from '../src/runtime/index.ts';
import { startServer } from '../src/server/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const contextOf: ContextOf = ({ thread }) => ({ tenant: `tenant of ${thread.resourceId}` });

/** An agent whose one tool notes where its call belongs, and the request of its surface. */
function noting() {
  const seen: object[] = [];
  const requests: unknown[] = [];
  const note = defineTool({
    name: 'note',
    description: 'Notes its caller',
    input: z.object({}),
    context: z.object({ tenant: z.string() }),
    execute: (_, { threadId, resourceId, context, request, by }) => {
      seen.push({ hasThread: threadId !== undefined, resourceId, by, ...context });
      requests.push(request);
      return 'noted';
    },
  });
  const model = scriptedModel([[{ toolCall: { name: 'note', input: {} } }], 'Done.']);
  const agent = loopAgent({ id: 'main', model, tools: [note], permissions: 'allow' });
  return { agent, seen, requests };
}

const expected = { hasThread: true, resourceId: 'acme', tenant: 'tenant of acme' };

describe('a tool knows its thread, resource and context', () => {
  it('under a supervisor', async () => {
    const { agent, seen, requests } = noting();
    const log = new MemoryLog();
    const { id } = await log.createThread({ resourceId: 'acme' });
    await agent.run('Go', { supervisor: new Supervisor({ log, contextOf }), threadId: id });
    expect([seen, requests]).toEqual([[expected], [undefined]]);
  });

  it('from the function that makes the tools of a run, which is called with all of them', async () => {
    const seen: object[] = [];
    const agent = loopAgent({
      model: scriptedModel(['Done.']),
      context: z.object({ tenant: z.string() }),
      tools: run => {
        const { threadId, resourceId, by, context } = run;
        seen.push({ hasThread: threadId !== undefined, resourceId, by, tenant: context.tenant });
        return [];
      },
    });
    const log = new MemoryLog();
    const supervisor = new Supervisor({ log, contextOf });
    const { id } = await log.createThread({ resourceId: 'acme' });
    await (await supervisor.start(id, { agent, content: 'Go', by: 'Ada' })).done;
    expect(seen).toEqual([{ ...expected, by: 'Ada' }]);
    const without = await agent.run('Go');
    expect([without.error?.code, seen.length]).toEqual(['context_missing', 1]);
  });

  it('under a server, with the name of the token as the author', async () => {
    const { agent, seen } = noting();
    const log = new MemoryLog();
    const control = new Supervisor({ log, contextOf });
    const agents = { list: () => [{ id: 'main', name: 'Main' }], get: () => agent };
    const tokens = [{ token: 'secret-of-ada', name: 'Ada', resourceId: 'acme' }];
    const server = await startServer({ log, control, agents, tokens, port: 0, page: false, logStyle: 'off' });
    const client = createClient({ baseUrl: server.url, token: 'secret-of-ada' });
    const { id } = await client.createThread();
    const { runId } = await client.sendMessage(id, { content: 'Go' });
    await new Conversations({ log }).result(id, runId);
    expect(seen).toEqual([{ ...expected, by: 'Ada' }]);
    await server.close();
    await control.close();
  });

  it('under a Harness, beside its request context', async () => {
    const { agent, seen, requests } = noting();
    const harness = new Harness({ id: 'h', resourceId: 'acme', modes: [{ id: 'main', agent }], contextOf });
    const requestContext = new RequestContext([['user', 'Ada']]);
    await harness.sendMessage({ content: 'Go', requestContext });
    expect(seen).toEqual([expected]);
    expect((requests[0] as RequestContext).get('user')).toBe('Ada');
    await harness.destroy();
  });

  it('under a runtime, beside its place', async () => {
    const { agent, seen, requests } = noting();
    const runtime = createRuntime({ agent, resourceId: 'acme', contextOf });
    for await (const _ of runtime.query('Go'));
    expect(seen).toEqual([expected]);
    expect(RuntimeContext.of(requests[0]).resourceId).toBe('acme');
    await runtime.close();
  });

  it('under a runtime that is asked with a context', async () => {
    const { agent, seen } = noting();
    const runtime = createRuntime({ agent, resourceId: 'acme', contextOf });
    for await (const _ of runtime.query('Go', { context: { tenant: 'mine' } }));
    expect(seen).toEqual([{ ...expected, tenant: 'mine' }]);
    await runtime.close();
  });
});
