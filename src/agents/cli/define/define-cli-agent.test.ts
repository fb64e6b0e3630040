import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Supervisor } from '../../../control/supervision/supervisor.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { MemoryLog } from '../../../log/memory-log.ts';
import { readEvents } from '../../../log/read-events.ts';
import { createActivityState, projectActivity } from '../../../projections/activity/project-activity.ts';
import { cliAgent } from '../agent/cli-agent.ts';
import { readSavedStream } from '../saved/saved-stream.ts';
import { defineCliAgent, type CliAgentDefinition } from './define-cli-agent.ts';

/** A program that prints what its last argument says, or speaks the Agent Client Protocol and asks before it runs `ls`. */
const program = `
import { createInterface } from 'node:readline';
const print = record => console.log(JSON.stringify(record));
if (process.argv[2] !== 'acp') {
  const [prompt, session = 's-1'] = process.argv.slice(2);
  print({ kind: 'session', id: session });
  print({ kind: 'tool', id: 't1', tool: 'bash', args: { command: 'ls' } });
  print({ kind: 'done', id: 't1', output: 'notes.md' });
  print({ kind: 'done', id: 't9', output: 'never called' });
  print({ kind: 'new' });
  print(prompt === 'fail' ? { kind: 'failed', why: 'no credit' } : { kind: 'say', text: 'You asked: ' + prompt });
  print({ kind: 'end' });
} else {
  const send = message => print({ jsonrpc: '2.0', ...message });
  const update = (sessionId, update) => send({ method: 'session/update', params: { sessionId, update } });
  let turn;
  createInterface({ input: process.stdin }).on('line', line => {
    const { id, method, params, result } = JSON.parse(line);
    if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
    if (method === 'session/new') send({ id, result: { sessionId: 's-2' } });
    if (method === 'session/prompt') {
      turn = id;
      const toolCall = { toolCallId: 't1', title: 'List', kind: 'execute', rawInput: { command: 'ls' } };
      update('s-2', { sessionUpdate: 'tool_call', status: 'pending', ...toolCall });
      const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }];
      send({ id: 'ask', method: 'session/request_permission', params: { sessionId: 's-2', toolCall, options } });
    }
    if (id === 'ask') {
      const isAllowed = result.outcome.optionId === 'yes';
      update('s-2', { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: isAllowed ? 'completed' : 'failed', rawOutput: isAllowed ? 'notes.md' : 'rejected' });
      update('s-2', { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: isAllowed ? 'Listed.' : 'Not listed.' } });
      send({ id: turn, result: { stopReason: 'end_turn' } });
    }
  });
}
`;

let folder: string;
let definition: CliAgentDefinition & Required<Pick<CliAgentDefinition, 'print' | 'acp'>>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'define-cli-agent-'));
  const file = join(folder, 'acme.mjs');
  writeFileSync(file, program);
  definition = {
    id: 'acme',
    name: 'Acme Coder',
    executable: process.execPath,
    install: 'npm install -g acme-coder',
    print: {
      command: ({ prompt, sessionId }) => ({ args: [file, prompt, ...(sessionId === undefined ? [] : [sessionId])] }),
      read: run => {
        let messages = 0;
        return record => {
          if (record['kind'] === 'session') run.session(String(record['id']), { model: 'acme-1' });
          else if (record['kind'] === 'tool') run.call(String(record['id']), String(record['tool']), record['args']);
          else if (record['kind'] === 'done') run.result(String(record['id']), { context: record['output'] });
          else if (record['kind'] === 'say') run.text(`m${++messages}`, String(record['text']), true);
          else if (record['kind'] === 'failed') run.fail(String(record['why']), 'no_credit');
          else if (record['kind'] === 'end') run.finish();
          else run.unknown();
        };
      },
    },
    acp: { args: [file, 'acp'] },
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function startThread(agent = cliAgent(defineCliAgent(definition))) {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  return { log, id, agent, supervisor: new Supervisor({ log, agents: [agent] }) };
}

const read = async (log: MemoryLog, threadId: string) => {
  const events: AgentEvent[] = [];
  for await (const event of readEvents(log, threadId)) events.push(event);
  return events;
};

describe('an agent of defineCliAgent', () => {
  it('runs its program in print mode and reports what its reader says of each record', async () => {
    const agent = cliAgent(defineCliAgent(definition), { channel: 'print', cwd: folder });
    const { log, id, supervisor } = await startThread(agent);
    const run = await supervisor.start(id, { agent, content: 'What is here?' });
    expect(await run.result).toMatchObject({ text: 'You asked: What is here?' });
    const events = await read(log, id);
    const { runId } = run;
    expect(events.filter(({ type }) => type !== 'user' && type !== 'run_requested')).toMatchObject([
      { type: 'harness_start', agentId: 'acme', cwd: folder },
      { type: 'session', sessionId: 's-1', model: 'acme-1', line: 1 },
      { type: 'tool_call', id: `${runId}/t1`, name: 'bash', input: { command: 'ls' } },
      { type: 'tool_result', id: `${runId}/t1`, name: 'bash', output: { context: 'notes.md' } },
      { type: 'unknown', raw: { kind: 'done', id: 't9', output: 'never called' }, line: 4 },
      { type: 'unknown', raw: { kind: 'new' } },
      { type: 'text', id: `${runId}/m1`, content: 'You asked: What is here?', final: true },
      { type: 'harness_end', reason: 'complete' },
    ]);
  });

  it('resumes the session of its program, and fails with what the program reports', async () => {
    const agent = cliAgent(defineCliAgent(definition), { channel: 'print' });
    const { log, id, supervisor } = await startThread(agent);
    await (await supervisor.start(id, { agent, content: 'First' })).done;
    const second = await supervisor.start(id, { agent, content: 'fail' });
    expect(await second.result).toMatchObject({ error: { code: 'no_credit', message: 'no credit' } });
    const sessions = (await read(log, id)).flatMap(event => (event.type === 'session' ? [event.sessionId] : []));
    expect(sessions).toEqual(['s-1', 's-1']);
  });

  it('asks over the Agent Client Protocol when somebody can answer, under the rules for its kinds of calls', async () => {
    const { log, id, agent, supervisor } = await startThread();
    const run = await supervisor.start(id, { agent, content: 'What is here?' });
    let relayId = '';
    for await (const event of log.tail(id, 0))
      if (event.type === 'relay') {
        expect(event).toMatchObject({ relayKind: 'permission', tool: 'execute', params: { command: 'ls' } });
        relayId = event.id;
        break;
      }
    await supervisor.answer(id, relayId, { outcome: 'approve' });
    expect(await run.result).toMatchObject({ text: 'Listed.' });

    const ruled = cliAgent(defineCliAgent(definition), {
      permissions: { default: 'deny', rules: [{ category: 'execute', policy: 'allow' }] },
      channel: 'live',
    });
    const other = await startThread(ruled);
    expect(await (await other.supervisor.start(other.id, { agent: ruled, content: 'Again' })).result).toMatchObject({
      text: 'Listed.',
    });
    const activity = createActivityState();
    const kinds = (await read(other.log, other.id)).flatMap(event => projectActivity(activity, event));
    expect(kinds.map(({ type }) => type)).toContain('list');
  });

  it('translates a saved stream without its program', async () => {
    const lines = ['{"kind":"session","id":"s-9"}', 'not JSON', '{"kind":"say","text":"Hello"}', '{"kind":"end"}'];
    const stream = readSavedStream(defineCliAgent(definition), [lines.join('\n')], { runId: 'r' });
    const events: AgentEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(['harness_start', 'session', 'unknown', 'text', 'harness_end']);
    expect(stream.count).toEqual({ lines: 4, understood: 3 });
  });

  it('keeps a record as unknown when its reader throws', async () => {
    const print = {
      ...definition.print,
      read: () => () => {
        throw new Error('A mistake in the reader');
      },
    };
    const stream = readSavedStream(defineCliAgent({ ...definition, print }), ['{"a":1}\n'], { runId: 'r' });
    const events: AgentEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events).toContainEqual(expect.objectContaining({ type: 'unknown', raw: { a: 1 } }));
  });

  it('has only the channels that its definition names', () => {
    const { print, acp, ...about } = definition;
    expect(() => defineCliAgent(about)).toThrow('Give defineCliAgent `print`, `acp` or `live`.');
    expect(() => cliAgent(defineCliAgent({ ...about, print }), { channel: 'live' })).toThrow('has no live channel');
    expect(() => cliAgent(defineCliAgent({ ...about, acp }), { channel: 'print' })).toThrow('has no print mode');
    expect(() => defineCliAgent({ ...definition, tools: {} } as CliAgentDefinition)).toThrow(/tools/);
    expect(() => cliAgent(definition as never)).toThrow('what defineCliAgent returns');
  });
});
