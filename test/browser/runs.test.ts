import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { rlmAgent } from '../../src/agents/index.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { Supervisor } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { startServer } from '../../src/server/index.ts';
import { asking } from '../support/page-agents.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage, webRoot } from './page-scene.ts';
import { firstLineOf, storeRecordedRun } from './recorded-run.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const hostile = '<img src=x onerror="document.title=1">';
const hour = 3_600_000;

let server: TestServer;
let page: Page;
let rows: Locator;

async function store(events: readonly [ms: number, event: AgentEvent][]): Promise<string> {
  const { id } = await server.log.createThread({ title: 'A long task' });
  const base = Date.parse('2026-01-01T00:00:00.000Z');
  await server.log.append(
    id,
    events.map(([ms, event]) => ({ ...event, ts: new Date(base + ms).toISOString() })),
  );
  return id;
}

/** A server over a log that outlives it. */
async function serverOn(log: MemoryLog, port = 0) {
  const control = new Supervisor({ log });
  const running = await startServer({ log, control, agents: { list: () => [], get: () => undefined }, port, webRoot });
  const close = async () => {
    await running.close();
    await control.close();
  };
  return { url: running.url, close };
}

function calls(count: number): [number, AgentEvent][] {
  return Array.from({ length: count }, (_, index): [number, AgentEvent][] => {
    const call = { runId: 'r', id: `r/${index}`, name: 'shell' };
    return [
      [index * 100, { type: 'tool_call', ...call, input: { command: `echo ${index}` } }],
      [index * 100 + 60, { type: 'tool_result', ...call, output: { context: 'ok' } }],
    ];
  }).flat();
}

describe.skipIf(browser === undefined)('the runs', () => {
  const scene = usePage(browser, [asking]);
  beforeEach(() => {
    ({ server, page } = scene);
    rows = page.getByRole('listbox', { name: 'Steps' }).getByRole('option');
  });

  it('shows what a recorded program did with durations, and the original line of an event', async () => {
    const id = await storeRecordedRun(server.log, 'claude@2.1.325/subagent');
    await page.goto(`${server.url}/threads/${id}/runs`);
    const agent = rows.filter({ hasText: 'claude' }).first();
    await agent.waitFor();
    expect(await rows.filter({ hasText: /^Task|^Agent/ }).count()).toBeGreaterThan(0);
    expect(await rows.locator('.step-name[data-depth="1"]').count()).toBeGreaterThan(0);
    await rows.filter({ hasText: 'message' }).first().click();
    const inspector = page.getByRole('complementary', { name: 'Event 1' });
    await inspector.getByText('Do the task.').waitFor();
    for (let seq = 1; (await page.getByText(/^Original line/).count()) === 0 && seq < 8; seq++) {
      await page.getByRole('button', { name: 'Next event' }).click();
      await page
        .getByRole('complementary', { name: `Event ${seq + 1}` })
        .getByText('runId')
        .waitFor();
    }
    const shown = page.locator('.inspector-line');
    await shown.waitFor();
    expect(JSON.parse(await shown.innerText())).toEqual(JSON.parse(firstLineOf('claude@2.1.325/subagent')));
    await takePictures(page, 'runs-recorded');
    await expectReadable(page);
  });

  it('compresses idle time, shows hostile output as text, and leads to the conversation', async () => {
    const call = { runId: 'r', id: 'r/1', name: 'shell' };
    const id = await store([
      [0, { type: 'user', runId: 'u', content: hostile }],
      [10, { type: 'harness_start', runId: 'r', agentId: 'asking', parentId: 'u:user', model: 'scripted/one' }],
      [2000, { type: 'tool_call', ...call, input: { command: `echo ${hostile}` } }],
      [6000, { type: 'tool_result', ...call, output: { error: 'no' } }],
      [3 * hour, { type: 'text', runId: 'r', id: 't', content: 'It failed.' }],
      [3 * hour + 1000, { type: 'harness_end', runId: 'r', agentId: 'asking' }],
      [9 * hour, { type: 'user', runId: 'u2', content: 'Again.' }],
      [9 * hour + 10, { type: 'harness_start', runId: 'r2', agentId: 'asking', parentId: 'u2:user' }],
      [9 * hour + 4000, { type: 'text', runId: 'r2', id: 't', content: 'Done now.' }],
    ]);
    await page.goto(`${server.url}/threads/${id}/runs`);
    await rows.filter({ hasText: 'echo' }).waitFor();
    expect(await rows.filter({ hasText: 'echo' }).innerText()).toMatch(/failed\s+4\.0 s/);
    expect(await page.locator('.time-gaps span').count()).toBe(1);
    expect(await page.locator('.time-gap-label').allInnerTexts()).toEqual(['6 h 0 min']);
    expect(await page.locator('img').count()).toBe(0);
    await takePictures(page, 'runs');

    await page.getByRole('listbox').focus();
    await page.keyboard.press('End');
    await rows.last().and(page.locator('[aria-selected=true]')).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('complementary', { name: 'Event 2' }).waitFor();
    expect(new URL(page.url()).search).toBe('?at=2');
    await page.reload();
    await page.locator('[aria-selected=true]').filter({ hasText: 'asking' }).waitFor();
    await page.getByRole('link', { name: 'Show in conversation' }).click();
    await page.getByRole('log').getByText('Done now.').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/threads/${id}`);
  });

  it('zooms into the time by keys, the wheel and buttons', async () => {
    const id = await store([[0, { type: 'harness_start', runId: 'r', agentId: 'asking' }], ...calls(100)]);
    await page.goto(`${server.url}/threads/${id}/runs?at=102`);
    const bar = page.locator('[aria-selected=true] .step-bar');
    await bar.waitFor();
    const widthOf = async () => (await bar.boundingBox())?.width ?? 0;
    const before = await widthOf();
    const ends = page.locator('.time-tick');
    const times = await ends.allInnerTexts();
    await page.getByRole('listbox').focus();
    for (let press = 0; press < 6; press++) await page.keyboard.press('+');
    await expect.poll(widthOf).toBeGreaterThan(before * 2);
    expect(await ends.allInnerTexts()).not.toEqual(times);
    await page.keyboard.press('ArrowLeft');
    await takePictures(page, 'runs-zoomed');
    await page.keyboard.press('0');
    await expect.poll(widthOf).toBeCloseTo(before, 0);
    expect(await page.getByRole('button', { name: 'Fit' }).isDisabled()).toBe(true);
    await bar.hover();
    await page.keyboard.down('Control');
    for (let turn = 0; turn < 6; turn++) await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await expect.poll(widthOf).toBeGreaterThan(before * 2);
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(() => ends.allInnerTexts()).toEqual(times);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(() => ends.allInnerTexts()).not.toEqual(times);
  });

  it('grows while a run is under way', async () => {
    const { id } = await server.log.createThread();
    await page.goto(`${server.url}/threads/${id}/runs`);
    await page.getByText('Nothing has run here.').waitFor();
    await page.evaluate(
      ([thread]) =>
        fetch(`/api/threads/${thread}/messages`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ content: 'List it', agent: 'asking' }),
        }).then(() => undefined),
      [id],
    );
    const waiting = rows.filter({ hasText: 'permission' });
    await waiting.getByText('running').waitFor();
    const [run] = server.control.running();
    await server.control.answer(id, `${run?.runId}/ask`, { outcome: 'approve' });
    await expect.poll(() => waiting.getByText('running').count()).toBe(0);
    await rows.filter({ hasText: 'Answer: approve once.' }).waitFor();
  });

  it('holds 20,000 steps with few rows in the page, and opens at any of them', async () => {
    const id = await store([[0, { type: 'harness_start', runId: 'r', agentId: 'asking' }], ...calls(10_000)]);
    await page.goto(`${server.url}/threads/${id}/runs?at=15002`);
    await page.locator('[aria-selected=true]').filter({ hasText: 'echo 7500' }).waitFor();
    expect(await rows.count()).toBeLessThan(200);
    await page.getByText('20,001 steps').waitFor();
    await page.getByRole('listbox').focus();
    await page.keyboard.press('End');
    await rows.filter({ hasText: 'echo 9999' }).waitFor();
  });

  it('shows the code, the output and the recursion of a recursive language model with its cost', async () => {
    const id = await store([
      [0, { type: 'user', runId: 'u', content: 'How many?' }],
      [1, { type: 'harness_start', runId: 'r', agentId: 'rlm', parentId: 'u:user' }],
      [2, { type: 'repl_input', runId: 'r', id: 'r/1', code: 'print(await llm_query("Count"))', iteration: 0 }],
      [3, { type: 'harness_start', runId: 'c', agentId: 'model', parentId: 'r/1' }],
      [4, { type: 'text', runId: 'c', id: 'c/t', content: `Seven ${hostile}` }],
      [5, { type: 'usage', runId: 'c', inputTokens: 1000, outputTokens: 200, cost: 0.02 }],
      [6, { type: 'harness_end', runId: 'c', agentId: 'model' }],
      [7, { type: 'repl_output', runId: 'r', id: 'r/1', stdout: 'Seven', done: false, durationMs: 1500 }],
      [8, { type: 'repl_input', runId: 'r', id: 'r/2', code: 'FINAL("7")', iteration: 1 }],
      [9, { type: 'repl_output', runId: 'r', id: 'r/2', stdout: '', done: true, final: '7' }],
      [10, { type: 'usage', runId: 'r', inputTokens: 400, outputTokens: 100 }],
      [11, { type: 'harness_end', runId: 'r', agentId: 'rlm' }],
    ]);
    await page.goto(`${server.url}/threads/${id}/repl`);
    const executions = page.getByRole('list', { name: 'Executions' }).getByRole('listitem');
    await executions.getByText('FINAL("7")').waitFor();
    expect(await executions.first().innerText()).toMatch(/In \[1\]\s+1\.5 s[^]*llm_query[^]*Seven/);
    expect(await executions.last().innerText()).toContain('gave the answer');
    expect((await page.getByRole('row').allInnerTexts()).slice(1)).toEqual([
      'rlm\tcomplete\t2\t500\t–',
      '↳ model\tcomplete\t0\t1.2k\t≈ $0.020',
    ]);
    expect(await page.locator('main img').count()).toBe(0);
    await takePictures(page, 'repl');
    await expectReadable(page);
  });

  it('shows a real run of a recursive language model', async () => {
    const code = (text: string) => `\`\`\`js\n${text}\n\`\`\``;
    const model = scriptedModel(({ messages }) => {
      if (messages[0]?.role !== 'system') return 'Seven.';
      const answers = messages.filter(({ role }) => role === 'assistant').length;
      if (answers === 0) return code('const said = await llm_query("How many letters?"); print(said)');
      return code('FINAL("7")');
    });
    const { id } = await server.log.createThread();
    const run = await server.control.start(id, {
      agent: rlmAgent({ model, context: 'letters' }),
      content: 'How many?',
    });
    await page.goto(`${server.url}/threads/${id}/repl`);
    const executions = page.getByRole('list', { name: 'Executions' }).getByRole('listitem');
    await executions.getByText('Seven.').first().waitFor();
    await run.done;
    await executions.getByText('FINAL("7")').waitFor();
    await executions.getByText('gave the answer').waitFor();
    const runs = (await page.getByRole('row').allInnerTexts()).slice(1);
    expect(runs.map(text => text.split('\t').slice(0, 3).join(' '))).toEqual([
      expect.stringMatching(/^rlm .*complete 2$/s),
      expect.stringMatching(/^↳ .*complete 0$/s),
    ]);
    await takePictures(page, 'repl-real');
    await expectReadable(page);
  });

  it.each(['runs', 'repl', 'graph'])(
    'shows why the %s of a thread cannot be read, and when there is nothing',
    async view => {
      await page.goto(`${server.url}/threads/nothing/${view}`);
      await page.getByRole('alert').waitFor();
      scene.expectComplaint('404');
      const { id } = await server.log.createThread();
      await page.goto(`${server.url}/threads/${id}/${view}`);
      await page
        .getByRole('status')
        .getByText(/^(Nothing|No code|There is nothing)/)
        .waitFor();
    },
  );

  it.each(['runs', 'repl', 'graph', 'playback'])(
    'shows that the connection of the %s is lost, and that it is back',
    async view => {
      const kept = new MemoryLog();
      const { id } = await kept.createThread();
      await kept.append(id, [
        { type: 'user', runId: 'u', content: 'How many?' },
        { type: 'harness_start', runId: 'r', agentId: 'rlm', parentId: 'u:user' },
        { type: 'repl_input', runId: 'r', id: 'r/1', code: 'FINAL("7")', iteration: 0 },
        { type: 'repl_output', runId: 'r', id: 'r/1', stdout: '', done: true, final: '7' },
      ]);
      const first = await serverOn(kept);
      await page.goto(`${first.url}/threads/${id}/${view}`);
      const shown = page
        .getByRole('main')
        .getByText(/FINAL|rlm/)
        .first();
      await shown.waitFor();
      await first.close();
      const notice = page.getByText('Connection lost. Trying again…').and(page.locator('.history-notice'));
      await notice.waitFor();
      await shown.waitFor();
      const second = await serverOn(kept, Number(new URL(first.url).port));
      await notice.waitFor({ state: 'hidden', timeout: 30_000 });
      await second.close();
      scene.expectComplaint('ERR_');
    },
  );
});
