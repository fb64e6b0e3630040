import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { asking } from '../support/page-agents.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { storeRecordedRun } from './recorded-run.ts';
import { choose, expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const hostile = '<img src=x onerror="document.title=1">';

let server: TestServer;
let page: Page;
let seen: Locator;
let position: Locator;

describe.skipIf(browser === undefined)('the playback', () => {
  const scene = usePage(browser, [asking]);
  beforeEach(() => {
    ({ server, page } = scene);
    seen = page.getByRole('region', { name: 'Conversation at this moment' });
    position = page.getByRole('slider', { name: 'Position' });
  });

  async function storeFailure(): Promise<string> {
    const { id } = await server.log.createThread();
    const call = { runId: 'r', id: 'r/1', name: 'shell' };
    const events: [number, AgentEvent][] = [
      [0, { type: 'user', runId: 'u', content: 'Try it.' }],
      [1, { type: 'harness_start', runId: 'r', agentId: 'asking', parentId: 'u:user' }],
      [2, { type: 'text', runId: 'r', id: 't', content: 'One' }],
      [3, { type: 'text', runId: 'r', id: 't', content: `, two ${hostile}` }],
      [4, { type: 'tool_call', ...call, input: { command: 'false' } }],
      [3600, { type: 'tool_result', ...call, output: { error: 'exit code 1' } }],
      [3601, { type: 'harness_end', runId: 'r', agentId: 'asking', reason: 'error' }],
    ];
    await server.log.append(
      id,
      events.map(([seconds, event]) => ({ ...event, ts: new Date(1_767_225_600_000 + seconds * 1000).toISOString() })),
    );
    return id;
  }

  it('shows any moment, forwards and backwards, and other views open there', async () => {
    const id = await storeFailure();
    await page.goto(`${server.url}/threads/${id}/playback`);
    await seen.getByText('Try it.').waitFor();
    await position.focus();
    await page.keyboard.press('End');
    await seen.getByLabel('Tool shell').getByText('exit code 1').waitFor();
    for (let at = 7; at > 3; at--) await page.keyboard.press('ArrowLeft');
    await seen.getByText('One', { exact: true }).waitFor();
    expect(await seen.getByLabel('Tool shell').count()).toBe(0);
    await page.getByText('Event 3 of 7 · 2.0 s of 1 h 0 min').waitFor();
    await page.keyboard.press('ArrowRight');
    await seen.getByText(`One, two ${hostile}`).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByRole('link', { name: 'Runs here' }).click();
    await page.getByRole('complementary', { name: 'Event 4' }).waitFor();
    await page.goto(`${server.url}/threads/${id}/playback?at=5`);
    await seen.getByLabel('Tool shell').getByText('false').waitFor();
    expect(await seen.getByText('exit code 1').count()).toBe(0);
    await takePictures(page, 'playback');
    await expectReadable(page);
  });

  it('shows the rows of the conversation, which cannot be edited or answered', async () => {
    const { id } = await server.log.createThread();
    const run = await server.control.start(id, { agent: asking, content: 'List it.' });
    await page.goto(`${server.url}/threads/${id}/playback`);
    await position.focus();
    await page.keyboard.press('End');
    await seen.getByText('Run this command? (shell)').waitFor();
    await seen.getByText('Waits for you').waitFor();
    expect(await seen.getByRole('button', { name: /Approve|Edit|Retry/ }).count()).toBe(0);
    await server.control.answer(id, `${run.runId}/ask`, { outcome: 'approve' });
    await run.done;
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return seen.getByText('Answer: approve once.').isVisible();
      })
      .toBe(true);
    await seen.getByLabel('Tool shell').locator('summary').click();
    await seen.getByText('README.md').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('log').waitFor();
  });

  it('shows why a thread cannot be played, and when there is nothing', async () => {
    const { id } = await server.log.createThread();
    await page.goto(`${server.url}/threads/${id}/playback`);
    await page.getByText('There is nothing to play.').waitFor();
    await page.goto(`${server.url}/threads/missing/playback`);
    await page.getByRole('alert').waitFor();
    scene.expectComplaint('404');
  });

  it('plays a recorded run to its end, and stops there', async () => {
    const id = await storeRecordedRun(server.log, 'codex@0.166.0/shell');
    await page.goto(`${server.url}/threads/${id}/playback`);
    await choose(page, 'Speed', '50 times');
    await page.getByRole('button', { name: 'Play' }).click();
    await expect
      .poll(async () => (await position.getAttribute('max')) === (await position.inputValue()), { timeout: 10_000 })
      .toBe(true);
    await page.getByRole('button', { name: 'Play' }).waitFor();
    expect(new URL(page.url()).search).toMatch(/^\?at=\d+$/);
    await page.keyboard.press('Escape');
    await page.getByRole('log').waitFor();
  });
});
