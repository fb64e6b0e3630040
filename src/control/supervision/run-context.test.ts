import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { agentTool } from '../../agents/subagents/agent-tool.ts';
import { defineTool } from '../../agents/tool-definition/define-tool.ts';
import type { ToolCall } from '../../agents/contract/agent.ts';
import { loopAgent } from '../../agents/loop/loop-agent.ts';
import { rlmAgent } from '../../agents/rlm/rlm-agent.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { gate, scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { Conversations } from '../conversations/conversations.ts';
import type { ContextRequest } from './run-input.ts';
import { Supervisor } from './supervisor.ts';

const call = (name: string, input: object = {}) => [{ toolCall: { name, input } }];
const tenantSchema = z.object({ tenant: z.string() });

/** A tool that notes where its calls belong. */
function noting() {
  const seen: unknown[] = [];
  const note = defineTool({
    name: 'note',
    description: 'Notes its caller',
    input: z.object({}),
    context: tenantSchema,
    execute: (_, { threadId, resourceId, by, context: { tenant } }) => {
      seen.push({ threadId, resourceId, by, tenant });
      return 'noted';
    },
  });
  const agent = (script: Parameters<typeof scriptedModel>[0] = [call('note'), 'Done.']) =>
    loopAgent({ id: 'main', model: scriptedModel(script), tools: [note], permissions: 'allow' });
  return { seen, note, agent };
}

/** A log with a thread of the resource `acme`. */
async function scene() {
  const log = new MemoryLog();
  const { id } = await log.createThread({ resourceId: 'acme' });
  return { log, id };
}

const contextOf = ({ thread }: ContextRequest) => ({ tenant: thread.resourceId });

describe('the context of a run', () => {
  it('is what its caller passed, and has the type of the schema of the tool', async () => {
    const { log, id } = await scene();
    const { seen, note, agent } = noting();
    const run = await new Supervisor({ log }).start(id, {
      agent: agent(),
      content: 'Go',
      by: 'Ada',
      context: { tenant: 'one', more: true },
    });
    expect((await run.result).reason).toBe('complete');
    expect(seen).toEqual([{ threadId: id, resourceId: 'acme', by: 'Ada', tenant: 'one' }]);
    expectTypeOf<typeof note.execute>().parameter(1).toEqualTypeOf<ToolCall<{ tenant: string }>>();
    defineTool({
      name: 'annotated',
      description: '',
      input: z.object({ n: z.number() }),
      execute: ({ n }, { context }: ToolCall<{ db: Map<string, number> }>) => context.db.get(String(n)) ?? null,
    });
  });

  it('is made by `contextOf` for a run without one, which knows thread, run and author', async () => {
    const { log, id } = await scene();
    const { seen, agent } = noting();
    const asked: ContextRequest[] = [];
    const supervisor = new Supervisor({
      log,
      contextOf: request => {
        asked.push(request);
        return contextOf(request);
      },
    });
    const run = await supervisor.start(id, { agent: agent(), content: 'Go', by: 'Ada' });
    await run.result;
    expect(seen).toEqual([{ threadId: id, resourceId: 'acme', by: 'Ada', tenant: 'acme' }]);
    expect(asked).toMatchObject([{ thread: { id }, run: { runId: run.runId, agentId: 'main' }, by: 'Ada' }]);
    await (await supervisor.start(id, { agent: agent(), content: 'Go', context: { tenant: 'own' } })).result;
    expect(asked).toHaveLength(1);
  });

  it('is made again for a run that another process resumes, with the author of its message', async () => {
    const { log, id } = await scene();
    const { seen, note } = noting();
    const begun = gate();
    const hang = defineTool({
      name: 'hang',
      description: '',
      input: z.object({}),
      execute: () => {
        begun.open();
        return new Promise<string>(() => {});
      },
    });
    const first = new Supervisor({ log });
    const hanging = loopAgent({
      id: 'main',
      model: scriptedModel([call('hang')]),
      tools: [hang],
      permissions: 'allow',
    });
    await first.start(id, { agent: hanging, content: 'Go', by: 'Ada', context: { tenant: 'gone' } });
    await begun.opened;
    await first.close();
    const after = loopAgent({
      id: 'main',
      model: scriptedModel([call('note'), 'Done.']),
      tools: [hang, note],
      permissions: 'allow',
    });
    const finders: unknown[] = [];
    const agents = (...[run, threadId, { resourceId, by }]: Parameters<Extract<AgentsOption, CallableFunction>>) => {
      finders.push({ agentId: run.agentId, threadId, resourceId, by });
      return after;
    };
    const next = new Supervisor({ log, contextOf, agents });
    const [resumed] = await next.recover();
    expect((await resumed?.result)?.reason).toBe('complete');
    expect(seen).toEqual([{ threadId: id, resourceId: 'acme', by: 'Ada', tenant: 'acme' }]);
    expect(finders).toEqual([{ agentId: 'main', threadId: id, resourceId: 'acme', by: 'Ada' }]);
    await next.close();
  });

  it('is made for the turn of a message that waited', async () => {
    const { log, id } = await scene();
    const { seen, agent } = noting();
    const opened = gate();
    const slow = scriptedAgent('slow', async function* ({ event, until }) {
      await until(opened.opened);
      yield event('text', { id: 't', content: 'Done.' });
    });
    const main = agent();
    const control = new Supervisor({ log, contextOf });
    const agents = { list: () => [slow, main], get: (name: string) => [slow, main].find(each => each.id === name) };
    const conversations = new Conversations({ log, control, agents });
    conversations.deliver();
    await conversations.send(id, { content: 'First', by: 'Bob' });
    await conversations.send(id, { content: 'Then', agent: 'main', delivery: 'follow_up', by: 'Eve', id: 'm' });
    opened.open();
    await conversations.result(id, await conversations.findRun(id, 'm'));
    expect(seen).toEqual([{ threadId: id, resourceId: 'acme', by: 'Eve', tenant: 'acme' }]);
    await control.close();
  });

  it('reaches subagents and the functions of a recursive language model', async () => {
    const { log, id } = await scene();
    const { seen, note, agent } = noting();
    const outer = loopAgent({
      model: scriptedModel([call('agent', { agent: 'main', task: 'Note' }), 'Done.']),
      tools: [agentTool({ agents: [{ agent: agent(), description: 'Notes' }] })],
      permissions: 'allow',
    });
    const rlm = rlmAgent({
      model: scriptedModel(['```js\nawait note({}); FINAL("x");\n```']),
      tools: [note],
      permissions: 'allow',
    });
    const supervisor = new Supervisor({ log, contextOf });
    for (const each of [outer, rlm]) await (await supervisor.start(id, { agent: each, content: 'Go' })).result;
    expect(seen).toHaveLength(2);
    expect(seen[0]).toEqual(seen[1]);
  });

  it('that is needed and missing ends the run with `context_missing` before a model or a tool is called', async () => {
    const { log, id } = await scene();
    const { seen, note } = noting();
    const model = scriptedModel([call('note'), 'Done.']);
    const agents = [
      loopAgent({ model, tools: [note], permissions: 'allow' }),
      loopAgent({ model, context: tenantSchema }),
      rlmAgent({ model, tools: [note], permissions: 'allow' }),
    ];
    const supervisor = new Supervisor({ log });
    for (const agent of agents) {
      const { reason, error } = await (await supervisor.start(id, { agent, content: 'Go' })).result;
      expect(reason).toBe('error');
      expect(error).toMatchObject({ code: 'context_missing', message: expect.stringContaining('contextOf') });
      expect((await agent.run('Go')).error?.code).toBe('context_missing');
    }
    expect([seen, model.requests]).toEqual([[], []]);
  });

  it('that does not match, or cannot be made, ends the run with the reason', async () => {
    const { log, id } = await scene();
    const { seen, agent } = noting();
    const errorOf = async (supervisor: Supervisor, context?: unknown) => {
      const run = await supervisor.start(id, { agent: agent(), content: 'Go', context });
      const { error } = await run.result;
      await supervisor.close();
      return error;
    };
    expect(await errorOf(new Supervisor({ log }), { tenant: 7 })).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/The tool "note": tenant: .*string/),
    });
    const failing = new Supervisor({
      log,
      contextOf: async () => {
        throw new Error('The directory is down.');
      },
    });
    expect(await errorOf(failing)).toMatchObject({
      code: 'context_missing',
      message: expect.stringContaining('The directory is down.'),
    });
    expect(seen).toEqual([]);
  });

  it('is what instructions get, with the type of the schema of the agent', async () => {
    const { log, id } = await scene();
    const model = scriptedModel(['Hi.', 'Hi.']);
    const agent = loopAgent({
      model,
      context: tenantSchema,
      instructions: ({ context, resourceId, by, threadId }) =>
        `You serve ${by} of ${context.tenant} (${resourceId}) in ${threadId}.`,
    });
    await (await new Supervisor({ log, contextOf }).start(id, { agent, content: 'Hi', by: 'Ada' })).result;
    expect(JSON.stringify(model.requests[0]?.messages)).toContain(`You serve Ada of acme (acme) in ${id}.`);
    const { error } = await agent.run('Hi', { context: { tenant: 'script' } });
    expect(error).toBeUndefined();
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('of script');
  });
});

type AgentsOption = NonNullable<ConstructorParameters<typeof Supervisor>[0]['agents']>;
