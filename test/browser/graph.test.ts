import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { delegating } from '../support/page-agents.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { storeRecordedRun } from './recorded-run.ts';
import { expectReadable, takePictures } from './view-checks.ts';

const browser = await openBrowser();
const hostile = '<img src=x onerror="document.title=1">';

let server: TestServer;
let page: Page;
let drawing: Locator;

const nodes = (): Promise<string[]> =>
  drawing.locator('.graph-node').evaluateAll(all => all.map(node => node.getAttribute('aria-label') ?? ''));

async function send(message: string): Promise<string> {
  const { id } = await server.log.createThread({ title: message });
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  await fetch(`${server.url}/api/threads/${id}/messages`, {
    ...post,
    body: JSON.stringify({ content: message, agent: 'delegating' }),
  });
  return id;
}

describe.skipIf(browser === undefined)('the graph', () => {
  const scene = usePage(browser, [delegating]);
  beforeEach(() => {
    ({ server, page } = scene);
    drawing = page.getByRole('group', { name: 'Graph of the conversation' });
  });

  it('draws a conversation as it grows, folds a finished subagent, and goes back to the conversation', async () => {
    const id = await send('Read them');
    await page.goto(`${server.url}/threads/${id}`);
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('link', { name: 'Graph' }).click();
    await page.getByRole('img', { name: 'Group: reader' }).waitFor();
    await expect
      .poll(nodes)
      .toEqual([
        'You: Read them',
        'Call: agent Read the notes (running)',
        'Text: Notes from below.',
        'Asks you: How long? (waiting)',
      ]);

    await server.control.answer(id, 'q', { outcome: 'answer', answer: 'Long' });
    const ended = [
      'Call: agent Read the notes (failed)',
      'Subagent: reader (1 steps)',
      'Asks you: How long?',
      'Text: It will be Long.',
    ];
    await expect.poll(nodes).toEqual(['You: Read them', ...ended]);
    await drawing.getByText('1 step ▸').click();
    await drawing.getByText('Notes from below.').waitFor();
    await drawing.getByText('▾ reader').click();
    await expect.poll(nodes).toEqual(['You: Read them', ...ended]);
    await page.getByLabel('Folded').uncheck();
    await expect.poll(nodes).toContain('Result: agent the reader gave up (failed)');
    await page.getByLabel('Messages').check();
    await expect.poll(nodes).toHaveLength(3);
    await page.keyboard.press('Escape');
    await page.getByRole('log').getByText('It will be Long.').waitFor();
  });

  it('moves by keys, opens the place in the conversation, and zooms', async () => {
    const id = await storeRecordedRun(server.log, 'claude@2.1.325/parallel');
    await page.goto(`${server.url}/threads/${id}/graph`);
    await drawing.locator('.graph-node').first().waitFor();
    const calls = drawing.locator('.graph-node[data-look=call]');
    const places = await calls.evaluateAll(all =>
      all.map(node => node.getAttribute('transform')?.match(/ ([\d.]+)\)/)?.[1]),
    );
    expect(new Set(places).size).toBeLessThan(places.length);
    await takePictures(page, 'graph');
    const map = () => page.evaluate(`document.querySelector('.graph-minimap canvas').toDataURL()`);
    const light = await map();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(map).not.toBe(light);
    await page.emulateMedia({ colorScheme: 'light' });

    await drawing.focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('complementary', { name: 'Event 1' }).getByText('Do the task.').waitFor();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => drawing.locator('[data-selected=true]').getAttribute('data-look')).not.toBe('user');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => new URL(page.url()).search).toBe('?at=1');
    const scaleOf = () => drawing.locator('svg > g').first().getAttribute('transform');
    const before = await scaleOf();
    await page.keyboard.press('+');
    await expect.poll(scaleOf).not.toBe(before);
    await page.keyboard.press('f');
    await page.keyboard.press('Enter');
    await page.getByRole('log').waitFor();
    expect(page.url()).toBe(`${server.url}/threads/${id}?at=1`);
    await page.goBack();
    await drawing.locator('[data-selected=true]').waitFor();
    await expectReadable(page);
  });

  it('holds 10,000 nodes with few of them in the page, finds one, and grows', async () => {
    const { id } = await server.log.createThread();
    const events = Array.from({ length: 5000 }, (_, n): AgentEvent[] => {
      const call = { runId: 'r', id: `r/${n}`, name: n % 2 === 0 ? 'read' : 'shell' };
      return [
        { type: 'step_start', runId: 'r', step: n },
        { type: 'tool_call', ...call, input: { command: n === 1234 ? `needle ${hostile}` : `echo ${n}` } },
        { type: 'tool_result', ...call, output: { context: 'ok' } },
      ];
    }).flat();
    await server.log.append(id, [{ type: 'harness_start', runId: 'r', agentId: 'delegating' }, ...events]);
    await page.goto(`${server.url}/threads/${id}/graph`);
    await page.getByLabel('Folded').uncheck();
    await drawing.getByText('echo 4999').waitFor();
    expect(await drawing.locator('.graph-node').count()).toBeLessThan(100);
    await page.getByLabel('Search in the graph').fill('needle');
    await page.keyboard.press('Enter');
    await drawing.locator('[data-selected=true]').getByText('needle').waitFor();
    await page.getByText('1 of 1').waitFor();
    expect(await page.locator('img[src]').count()).toBe(0);
    await page.getByRole('button', { name: 'Fit' }).click();
    await drawing.locator('.graph-canvas').waitFor();
    await takePictures(page, 'graph-large');
    await server.log.append(id, [{ type: 'text', runId: 'r', id: 't', content: 'The newest.' }]);
    await page.getByLabel('Search in the graph').fill('The newest');
    await page.keyboard.press('Enter');
    await drawing.locator('[data-selected=true]').getByText('The newest.').waitFor();
  });
});
