import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InvokeParams } from '../src/agents/contract/agent.ts';
import { coderAgent } from '../src/agents/index.ts';
import { removeRunFolders } from '../src/cli/run/run-record.ts';
import { ConversationReader } from '../src/control/conversations/conversation-reader.ts';
import { ThreadMemory } from '../src/control/threads/thread-memory.ts';
import { continueRun, Harness, Supervisor, Worktrees } from '../src/control/index.ts';
import { type AgentEvent, SingletreeError } from '../src/events/index.ts';
import { exportThread, importThread, MemoryLog, type Thread } from '../src/log/index.ts';
import { createRuntime } from '../src/runtime/index.ts';
import { createApp } from '../src/server/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { hostileLog, type Targets } from './support/hostile-events.ts';
import { eventStream } from './support/random-events.ts';
import { lawRuns } from './support/run-size.ts';
import { scriptedAgent } from './support/scripted-agent.ts';

/** The parameters of each run. */
const invoked: InvokeParams[] = [];
const recorder = {
  ...scriptedAgent('recorder', async function* ({ params, event }) {
    invoked.push(params);
    yield event('text', { id: `${params.run.runId}/t`, content: 'Done.' });
  }),
  abilities: { resumable: true },
};
const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('relay', { id, relayKind: 'question', question: 'Which?' });
  await answer(id);
});

const log = new MemoryLog();
const control = new Supervisor({ log, agents: [recorder, asker] });
let root: string;
let targets: Targets;
let app: ReturnType<typeof createApp>;
let others: string[];

/** A folder with an agent's project, a file beside it, snapshots and records; a turn of the project, and a run that waits. */
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-imported-power-')));
  const [project, outside, home] = [join(root, 'project'), join(root, 'outside'), join(root, 'home')];
  for (const folder of [project, outside, home]) mkdirSync(folder);
  writeFileSync(join(outside, 'victim'), 'precious');
  writeFileSync(join(project, 'own.txt'), 'one');
  symlinkSync(outside, join(project, 'out'));
  execFileSync('git', ['init', '-q'], { cwd: project });
  const coder = coderAgent({
    model: scriptedModel([[{ toolCall: { name: 'bash', input: { command: 'echo two > own.txt' } } }], 'Done.']),
    cwd: project,
    home,
    permissions: { default: 'allow', rules: [] },
  });
  const worked = await log.createThread({ resourceId: 'owner' });
  await (await control.start(worked.id, { agent: coder, content: 'Write.' })).done;
  const waits = await log.createThread({ resourceId: 'owner' });
  const { runId } = await control.start(waits.id, { agent: asker, content: 'Ask.' });
  for await (const { type } of log.tail(waits.id)) if (type === 'relay') break;
  mkdirSync(join(home, 'runs', runId), { recursive: true });
  others = [worked.id, waits.id];
  const blob = execFileSync('git', ['hash-object', '--stdin'], { input: 'one' }).toString().trim();
  targets = { project, outside, blob, runId, relayId: `${runId}/ask`, agentId: recorder.id };
  app = createApp({
    log,
    control,
    agents: { list: () => [{ id: recorder.id, name: 'R' }], get: id => (id === recorder.id ? recorder : undefined) },
    tokens: [{ token: 'token-of-guest', resourceId: 'guest' }, { token: 'token-of-admin' }],
    snapshots: join(home, 'snapshots'),
    worktrees: new Worktrees({ home, folder: project }),
    filesRoot: () => root,
    onDelete: (_, runIds) => removeRunFolders(home, runIds),
  });
});
afterAll(async () => {
  await control.abortAll(others[1] ?? '');
  await control.close();
});

/** Every file and link below a folder, with its content. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map(entry => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${entry.isSymbolicLink() ? readlinkSync(path) : entry.isFile() ? readFileSync(path, 'base64') : ''}`;
    })
    .toSorted();
}
const threadsNow = () => Promise.all(others.map(async id => [await log.getThread(id), await log.read(id)]));

/** A request of the holder of a token; returns what it answers, which is never a failure of the server. */
async function ask(method: string, path: string, body?: unknown, token = 'guest'): Promise<Record<string, unknown>> {
  const headers = { host: 'localhost', authorization: `Bearer token-of-${token}`, 'content-type': 'application/json' };
  const response = await app.request(path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([path, response.status < 500]).toEqual([path, true]);
  const text = await response.text();
  return { ...(text.startsWith('{') && (JSON.parse(text) as object)), httpStatus: response.status };
}
const expectRefused = (promise: Promise<unknown>) => expect(promise).rejects.toBeInstanceOf(SingletreeError);
const relays = () => ['r/q', 's/q'].map(encodeURIComponent);

/** Whatever somebody can do with a thread. */
const operations: Record<string, (id: string) => Promise<unknown>> = {
  preview: id => ask('POST', `/api/threads/${id}/undo`, { preview: true }).then(expectNoFiles),
  undo: async id => {
    const { threadId, ...result } = await ask('POST', `/api/threads/${id}/undo`, { force: true });
    expectNoFiles(result);
    expectNoFiles(await ask('POST', `/api/threads/${String(threadId)}/redo`, { preview: true }));
    expectNoFiles(await ask('POST', `/api/threads/${String(threadId)}/redo`, { force: true }));
  },
  'undo from the beginning': id =>
    ask('POST', `/api/threads/${id}/undo`, { messageId: 'u:user', force: true }).then(expectNoFiles),
  redo: id => ask('POST', `/api/threads/${id}/redo`, { force: true }).then(expectNoFiles),
  send: async id => {
    await ask('POST', `/api/threads/${id}/messages`, { content: 'And now?', id: 'm' });
    await control.idle(id);
  },
  'edit and retry': async id => {
    await ask('POST', `/api/threads/${id}/messages`, { content: 'Instead.', edits: 'u:user' });
    await control.idle(id);
    await ask('POST', `/api/threads/${id}/retries`, { messageId: 'u:user' });
    await control.idle(id);
  },
  answer: async id => {
    for (const relayId of [...relays(), encodeURIComponent(targets.relayId)])
      for (const outcome of ['approve', 'answer']) {
        const answer = { outcome, answer: 'yes', ...(outcome === 'approve' && { remember: 'category' }) };
        for (const path of [`threads/${id}/relays/${relayId}`, `relays/${relayId}`])
          expect((await ask('POST', `/api/${path}`, answer))['httpStatus']).toBe(404);
      }
    const runtime = createRuntime({ agent: recorder, resourceId: 'guest', storage: log });
    expect(await runtime.pendingApprovals()).toEqual([]);
    await expectRefused(runtime.respondToApproval('r/q', 'approve'));
    await runtime.close();
  },
  resume: async id => {
    expect(await control.recover()).toEqual([]);
    await control.takeOver(id);
    for (const runId of ['r', 's']) await expectRefused(continueRun(recorder, log, { threadId: id, runId }));
  },
  stop: async id => {
    for (const runId of ['r', 's', targets.runId]) await ask('POST', `/api/runs/${runId}/abort`, {});
    await control.abortAll(id);
  },
  branch: id => ask('POST', `/api/threads/${id}/branches`, {}),
  export: async id => {
    if ((await log.getThread(id)) !== undefined)
      await importThread(log, exportThread(log, id), { resourceId: 'guest' });
  },
  queue: async id => {
    expect((await ask('GET', `/api/threads/${id}/queue`))['messages'] ?? []).toEqual([]);
    for (const action of ['', '/send']) await ask('POST', `/api/threads/${id}/queue/m${action}`, {});
  },
  files: async id => {
    expect((await ask('GET', `/api/threads/${id}/files/f`))['httpStatus']).toBe(404);
    expect((await ask('GET', `/api/threads/${id}/base-changes`, undefined, 'admin'))['httpStatus']).toBe(404);
    expect((await ask('GET', `/api/threads/${id}/worktree`))['httpStatus']).toBe(404);
    expect((await ask('POST', `/api/threads/${id}/worktree/keep`, {}))['httpStatus']).toBe(404);
    await ask('DELETE', `/api/threads/${id}/worktree?force=true`);
  },
  'choose an agent': async id => {
    const thread = await log.getThread(id);
    if (thread !== undefined && thread.seq === thread.importedSeq)
      expect(await new ConversationReader(log).findAgent(thread)).toBeUndefined();
  },
  'open in a harness': async id => {
    if ((await log.getThread(id)) === undefined) return;
    const modes = ['plan', 'build'].map(mode => ({ id: mode, agent: recorder }));
    const harness = new Harness({ id: 'h', storage: log, resourceId: 'guest', modes, disableBuiltinTools: [] });
    await harness.switchThread({ threadId: id });
    expect([harness.getCurrentModeId(), harness.getCurrentModelId()]).toEqual(['plan', '']);
    for (const toolCallId of ['r/c', 's/c'])
      try {
        harness.respondToToolApproval({ toolCallId, decision: 'approve' });
      } catch (error) {
        expect(error).toBeInstanceOf(SingletreeError);
      }
    await harness.sendMessage({ content: 'In the harness.' });
    await harness.destroy();
  },
  delete: id => ask('DELETE', `/api/threads/${id}`),
};
function expectNoFiles({ folders = [], changed = [] }: Record<string, unknown>): void {
  expect([folders, changed]).toEqual([[], []]);
}

it('imported events change no file, process, permission or other thread, whatever is done with their thread', async () => {
  const before = [filesIn(root), await threadsNow()];
  const events = fc.tuple(hostileLog(targets), eventStream()).map(([hostile, more]) => [...hostile, ...more]);
  const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(operations)), fc.nat(2)), { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(events, fc.nat(), steps, async (imported: AgentEvent[], cut, done) => {
      invoked.length = 0;
      const lines = imported.map(event => `${JSON.stringify({ ...event, seq: undefined })}\n`);
      const whole = await importThread(log, lines, { resourceId: 'guest' });
      const branch = await log.branch(whole.id, cut % (whole.seq + 1));
      const places: Thread[] = [whole, branch, await log.branch(branch.id, branch.seq)];
      for (const { id } of places) {
        const { memoryRuns, remembered, relays: asked, mode, folder } = await new ThreadMemory(log).of(id);
        expect([[...memoryRuns], remembered, asked.pending, mode, folder]).toEqual([[], [], [], undefined, undefined]);
      }
      for (const [name, place] of done) await operations[name]?.(places[place]?.id ?? '');
      for (const {
        run: { mode, cwd, resume },
        conversation: { session, decided },
      } of invoked)
        expect({ session, mode, cwd, decided, resume }).toEqual({ decided: [] });
      expect([filesIn(root), await threadsNow()]).toEqual(before);
      for (const { id, importedSeq = 0 } of places) {
        if ((await log.getThread(id)) === undefined) continue;
        const own = await log.read(id, { after: importedSeq });
        expect(own.filter(({ type }) => type === 'relay_resolved' || type === 'tool_start')).toEqual([]);
        await log.deleteThread(id);
      }
    }),
    { numRuns: lawRuns(60) },
  );
}, 120_000);
