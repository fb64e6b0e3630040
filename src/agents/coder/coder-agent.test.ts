import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { Supervisor } from '../../control/supervision/supervisor.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import type { RelayAnswer } from '../contract/host.ts';
import type { ScriptedRequest } from '../model/scripted/scripted-request.ts';
import { scriptedModel } from '../model/scripted/scripted-model.ts';
import { readCheckpoint } from './checkpoints/checkpoint.ts';
import { coderAgent, type CoderAgentOptions } from './coder-agent.ts';

let root: string;
let cwd: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-coder-')));
  cwd = join(root, 'project');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'sum.js'), 'console.log(2 - 2);\n');
});

const call = (name: string, input: object) => [{ toolCall: { name, input } }];
const edit = call('edit', { path: 'sum.js', old_string: '2 - 2', new_string: '2 + 2' });
const content = () => readFileSync(join(cwd, 'sum.js'), 'utf8');

type Turns = Parameters<typeof scriptedModel>[0];
interface Scene extends Partial<CoderAgentOptions> {
  readonly mode?: string;
  readonly tasks?: EventOf<'tasks'>['tasks'];
  readonly answer?: (relay: EventOf<'relay'>) => Omit<RelayAnswer, 'relayId'>;
}

async function run(turns: Turns, { mode, tasks, answer, ...options }: Scene = {}) {
  const agent = coderAgent({ model: scriptedModel(turns), cwd, home: join(root, 'home'), ...options });
  const events: AgentEvent[] = [];
  const relays = new Map<string, EventOf<'relay'>>();
  const answers = {
    wait: (relayId: string) => {
      const relay = relays.get(relayId) as EventOf<'relay'>;
      return Promise.resolve({ relayId, ...(answer?.(relay) ?? { outcome: 'reject' as const }) });
    },
  };
  const params = {
    run: { ...(mode && { mode }) },
    conversation: { messages: [{ role: 'user' as const, content: 'Make sum.js add.' }], ...(tasks && { tasks }) },
    host: { answers },
  };
  for await (const event of agent.invoke(params)) {
    if (event.type === 'relay') relays.set(event.id, event);
    events.push(event);
  }
  const of = <Type extends AgentEvent['type']>(type: Type) =>
    events.filter((event): event is EventOf<Type> => event.type === type);
  return { events, of, relays: [...relays.values()] };
}
const approve = () => ({ outcome: 'approve' as const });

describe('the coding agent', () => {
  it('edits after an approval and records a checkpoint', async () => {
    const { relays, events } = await run([call('read', { path: 'sum.js' }), edit, 'Done.'], { answer: approve });
    expect(relays.map(relay => relay.relayKind === 'permission' && relay.tool)).toEqual(['edit']);
    expect(content()).toBe('console.log(2 + 2);\n');
    expect(events.flatMap(event => readCheckpoint(event)?.files.map(({ path }) => path) ?? [])).toEqual(['sum.js']);
  });

  it('follows the rules of its options', async () => {
    const permissions = { rules: [{ command: 'node sum.js', policy: 'allow' as const }] };
    const { relays, of } = await run([call('bash', { command: 'node sum.js' }), 'It prints 0.'], { permissions });
    expect(relays).toEqual([]);
    expect(of('tool_result').map(({ output }) => output)).toMatchObject([{ context: '0' }]);
  });

  it('changes nothing in plan mode, whatever the rules allow', async () => {
    const permissions = { default: 'allow' as const, rules: [{ tool: 'bash', policy: 'allow' as const }] };
    const { relays, of } = await run([edit, call('bash', { command: 'touch made' }), 'No.'], {
      permissions,
      mode: 'plan',
    });
    expect(content()).toBe('console.log(2 - 2);\n');
    expect(of('tool_result')[0]?.output).toMatchObject({ reason: expect.stringContaining('Plan mode') as string });
    expect(relays.map(relay => relay.relayKind)).toEqual(['permission']);
  });

  it('carries an approved plan out in build mode', async () => {
    const plan = call('submit_plan', { title: 'Add', plan: '1. Edit sum.js' });
    const { relays, of } = await run([plan, edit, 'Done.'], { mode: 'plan', answer: approve });
    expect(relays.map(relay => relay.relayKind)).toEqual(['plan', 'permission']);
    expect(of('mode_changed')).toMatchObject([{ modeId: 'build', previousModeId: 'plan' }]);
    expect(content()).toBe('console.log(2 + 2);\n');
  });

  it('stays in plan mode when the plan is rejected', async () => {
    const plan = call('submit_plan', { plan: '1. Edit sum.js' });
    const { of } = await run([plan, edit, 'Revised.'], {
      mode: 'plan',
      answer: () => ({ outcome: 'reject', feedback: 'Smaller steps' }),
    });
    expect(of('mode_changed')).toEqual([]);
    expect(of('tool_result')[0]?.output).toMatchObject({ context: expect.stringContaining('Smaller steps') as string });
    expect(content()).toBe('console.log(2 - 2);\n');
  });

  it('continues the task list of its thread', async () => {
    const tasks = [{ id: 't1', content: 'Edit', status: 'in_progress' as const, activeForm: 'Editing' }];
    const { of } = await run([call('task_complete', { id: 't1' }), 'Done.'], { tasks });
    expect(of('tasks').map(event => event.tasks)).toMatchObject([[{ id: 't1', status: 'completed' }]]);
  });

  it('sends the instructions of the project and reports those it could not read', async () => {
    mkdirSync(join(cwd, '.git'));
    writeFileSync(join(cwd, 'AGENTS.md'), 'Use tabs.\n@missing.md\n');
    let sent = '';
    const model = scriptedModel(request => {
      sent = JSON.stringify(request);
      return 'Done.';
    });
    const { of } = await run(['unused'], { model });
    expect(sent).toContain('Use tabs.');
    expect(of('warning')).toMatchObject([{ code: 'project_instructions' }]);
  });

  it.each<[what: string, policy: 'ask' | 'deny', include: string]>([
    ['that is denied', 'deny', '@.env'],
    ['that is asked about', 'ask', '@./.env'],
    ['through a link', 'deny', '@docs/link.md'],
    ['through an imported file', 'deny', '@docs/more.md'],
    ['by its absolute path', 'deny', '@ABSOLUTE'],
  ])('does not send a file of the instructions %s, and names it', async (_, policy, include) => {
    for (const folder of ['.git', 'docs', 'below']) mkdirSync(join(cwd, folder));
    writeFileSync(join(cwd, '.env'), 'KEY=secret-value');
    symlinkSync('../.env', join(cwd, 'docs', 'link.md'));
    writeFileSync(join(cwd, 'docs', 'more.md'), '@../.env');
    writeFileSync(join(cwd, 'AGENTS.md'), `Use tabs.\n${include.replace('ABSOLUTE', join(cwd, '.env'))}`);
    const permissions = { rules: [{ tool: 'read', input: { path: '.env' }, policy }] };
    for (const folder of [cwd, join(cwd, 'below')]) {
      let sent = '';
      const model = scriptedModel(request => {
        sent = JSON.stringify(request);
        return 'Done.';
      });
      const { of } = await run(['unused'], { model, permissions, cwd: folder });
      expect(sent).toContain('Use tabs.');
      expect(sent).not.toContain('secret-value');
      const verb = policy === 'deny' ? 'is denied' : 'needs approval';
      expect(of('warning').map(({ message }) => message)).toEqual([
        expect.stringMatching(new RegExp(`^Reading .*(\\.env|link\\.md) ${verb}: it was not imported`)),
      ]);
    }
  });

  it('does not send instructions that are a link to a file that is denied', async () => {
    mkdirSync(join(cwd, '.git'));
    writeFileSync(join(cwd, '.env'), 'KEY=secret-value');
    symlinkSync('.env', join(cwd, 'AGENTS.md'));
    const permissions = { rules: [{ input: { path: '.env' }, policy: 'deny' as const }] };
    const agent = coderAgent({ model: scriptedModel(['Done.']), cwd, permissions });
    const { instructions } = agent.requestOf?.({ conversation: { messages: [] } }) ?? {};
    expect(instructions).toContain('coding agent');
    expect(instructions).not.toContain('secret-value');
  });

  it('gives an exploration to a subagent, which has no tool that changes anything', async () => {
    const names: string[][] = [];
    const model = scriptedModel(request => {
      names.push([...request.toolNames]);
      if (names.length === 1) return call('agent', { agent: 'explore', task: 'What is in sum.js?' });
      return names.length === 2 ? 'It subtracts.' : 'Done.';
    });
    const { relays, of } = await run(['unused'], { model });
    expect(relays).toEqual([]);
    expect(names[1]).toEqual(['read', 'list', 'glob', 'grep']);
    expect(of('tool_result')[0]?.output).toMatchObject({ context: 'It subtracts.' });
  });

  it('rejects options that it does not have', () => {
    expect(() => coderAgent({ model: 'a/b', cwd, permission: {} } as never)).toThrow('did you mean `permissions`?');
  });
});

describe('compaction of the coding agent', () => {
  /** Runs one turn of six long reads with a compaction, and returns its requests in order. */
  async function longTurn(onSummary: () => void) {
    writeFileSync(join(cwd, 'long.txt'), 'lorem ipsum '.repeat(150));
    const requests: ScriptedRequest[] = [];
    const model = scriptedModel(request => {
      void request.messages;
      if (request.lastUserText.startsWith('Summarise')) {
        onSummary();
        return 'We read a lot.';
      }
      requests.push(request);
      return requests.length > 6 ? 'Done.' : call('read', { path: 'long.txt' });
    });
    const log = new MemoryLog();
    const supervisor = new Supervisor({ log });
    const { id: threadId } = await log.createThread();
    const agent = coderAgent({ model, cwd, compaction: { threshold: 1_000, keep: 100 } });
    await (await supervisor.start(threadId, { agent, content: 'Read it.' })).done;
    await supervisor.close();
    return { requests, events: await log.read(threadId) };
  }
  const systemOf = ({ messages }: ScriptedRequest) => messages.find(({ role }) => role === 'system')?.text ?? '';

  it('reads the instruction files again, also inside a turn, and warns of what it cannot read then', async () => {
    mkdirSync(join(cwd, '.git'));
    writeFileSync(join(cwd, 'AGENTS.md'), 'Use tabs.');
    const { requests, events } = await longTurn(() => writeFileSync(join(cwd, 'AGENTS.md'), 'Use spaces.\n@gone.md'));
    expect(systemOf(requests[0] as ScriptedRequest)).toContain('Use tabs.');
    expect(systemOf(requests.at(-1) as ScriptedRequest)).toContain('Use spaces.');
    const at = events.findIndex(event => event.type === 'summary');
    expect(events[at + 1]).toMatchObject({ type: 'warning', code: 'project_instructions' });
    expect(events.filter(event => event.type === 'warning')).toHaveLength(1);
  });

  it('never separates a call from its result', async () => {
    const { requests, events } = await longTurn(() => {});
    expect(events.filter(event => event.type === 'summary').length).toBeGreaterThan(0);
    for (const { messages } of requests) {
      const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
      const results = messages.flatMap(({ toolResults = [] }) => toolResults.map(({ id }) => id));
      expect(results).toEqual(calls);
    }
  });

  it('keeps all messages of the person and the task list, and an undo restores what it covers', async () => {
    const log = new MemoryLog();
    const supervisor = new Supervisor({ log });
    const { id: threadId } = await log.createThread();
    const requests: string[] = [];
    const long = 'lorem ipsum '.repeat(300);
    const tasks = [{ content: 'Write the tests', status: 'in_progress', activeForm: 'Writing the tests' }];
    const model = scriptedModel(request => {
      if (request.lastUserText.startsWith('Summarise')) return 'We read a lot.';
      requests.push(JSON.stringify(request.messages));
      if (request.lastUserText === 'Keep the tasks.' && request.step === 0) return call('task_write', { tasks });
      return long;
    });
    const agent = coderAgent({ model, cwd, compaction: { threshold: 1_000, keep: 100 } });
    const said = ['Keep the tasks.', 'Never use tabs.', 'Say "hello" often.', 'And now?'];
    for (const content of said) await (await supervisor.start(threadId, { agent, content })).done;
    const events = await log.read(threadId);
    const summary = events.findLast(event => event.type === 'summary');
    expect(summary).toMatchObject({ kind: 'compaction', text: expect.stringContaining('We read a lot.') as string });
    const sent = requests.at(-1) ?? '';
    for (const text of said) expect(sent).toContain(JSON.stringify(text).slice(1, -1));
    expect(sent).toContain('- [in_progress] Write the tests');
    const first = events.findIndex(event => event.type === 'summary');
    const turn = events.slice(0, first).findLast(event => event.type === 'user');
    const branch = await log.branch(threadId, (turn?.seq ?? 0) - 1);
    requests.length = 0;
    await (
      await supervisor.start(branch.id, { agent: coderAgent({ model, cwd, compaction: false }), content: 'Again.' })
    ).done;
    expect(requests[0]?.match(/lorem ipsum/g)?.length ?? 0).toBeGreaterThan(300);
    await supervisor.close();
  });
});
