import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { asking } from '../support/page-agents.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';

const browser = await openBrowser();

/** Polls for as long as a busy machine may take. */
const until = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000 });

describe.skipIf(browser === undefined)('rows that move', () => {
  const scene = usePage(browser, [asking]);
  let server: TestServer;
  let page: Page;
  beforeEach(() => ({ server, page } = scene));

  const press = async (target: Locator) => {
    await target.hover();
    await page.mouse.down();
  };
  const begin = async (title: string) => {
    const client = createClient({ baseUrl: server.url });
    const { id } = await client.createThread({ title });
    await client.sendMessage(id, { content: 'Go', agent: 'asking' });
    await until(async () => (await client.getThread(id)).status).toBe('waiting');
    return id;
  };
  const box = () => page.locator('.scroll');
  const fromEnd = () => box().evaluate(element => element.scrollHeight - element.scrollTop - element.clientHeight);

  it('stay under a pointer that is pressed in a conversation, while the answer grows', async () => {
    const { id } = await server.log.createThread();
    const line = (text: string): AgentEvent => ({ type: 'text', runId: 'r', id: 'r/t', content: text });
    await server.log.append(id, [
      { type: 'user', runId: 'u', content: 'Go.' },
      { type: 'harness_start', runId: 'r', parentId: 'u:user', agentId: 'asking' },
      line(`${'A line.\n\n'.repeat(40)}\`\`\`sh\nls\n\`\`\`\n\nOne more.\n\n`),
    ]);
    await page.goto(`${server.url}/threads/${id}`);
    const wrap = page.getByRole('log').getByRole('button', { name: 'Wrap' });
    await wrap.waitFor();
    await until(fromEnd).toBeLessThan(2);
    await press(wrap);
    const before = await wrap.boundingBox();
    await server.log.append(id, [line(`${'Another line.\n\n'.repeat(30)}The end.`)]);
    await page.getByText('The end.').waitFor();
    expect(await wrap.boundingBox()).toEqual(before);
    await page.mouse.up();
    await until(() => wrap.getAttribute('aria-pressed')).toBe('true');
    await until(fromEnd).toBeLessThan(2);
  });

  it('leave a reader where a script, a search of the browser or a screen reader scrolled to', async () => {
    const { id } = await server.log.createThread();
    const events = Array.from({ length: 60 }, (_, n): AgentEvent[] => [
      { type: 'user', runId: `u${n}`, content: `question ${n}` },
      { type: 'harness_start', runId: `r${n}`, parentId: `u${n}:user`, agentId: 'asking' },
      { type: 'text', runId: `r${n}`, id: `r${n}/t`, content: 'A paragraph.\n\n'.repeat(1 + (n % 7) * 3) },
      { type: 'harness_end', runId: `r${n}`, agentId: 'asking', reason: 'complete' },
    ]).flat();
    await server.log.append(id, events);
    await page.goto(`${server.url}/threads/${id}`);
    await until(fromEnd).toBeLessThan(2);
    await box().evaluate(element => {
      // As when a text grows in the same moment.
      element.firstElementChild?.insertAdjacentText('beforeend', 'More.');
      element.scrollTo(0, element.scrollHeight / 2);
    });
    await page.getByRole('button', { name: 'Go to the newest' }).waitFor();
    expect(await fromEnd()).toBeGreaterThan(1_000);
  });

  it('stay under a pointer that is pressed in the list of conversations', async () => {
    await server.log.createThread({ title: 'Older' });
    await server.log.createThread({ title: 'Newer' });
    await page.goto(server.url);
    const row = page.getByRole('link', { name: /Older/ });
    await press(row);
    await begin('Waits');
    await until(() => page.title()).toMatch(/^\(1\)/);
    await page.mouse.up();
    await page.getByRole('heading', { name: 'Older' }).waitFor();
    await page.getByRole('heading', { name: 'Waiting for you (1)' }).waitFor();
  });

  it('stay under a pointer that is pressed in the inbox', async () => {
    const first = await begin('First');
    await begin('Second');
    await begin('Third');
    await page.goto(`${server.url}/inbox`);
    const row = page.locator('.inbox-row').filter({ hasText: 'Third' });
    await press(row);
    const run = server.control.running().find(({ threadId }) => threadId === first);
    await server.control.answer(first, `${run?.runId}/ask`, { outcome: 'approve' });
    await until(() => page.title()).toMatch(/^\(2\)/);
    await page.mouse.up();
    await page.getByRole('region', { name: 'What is asked' }).getByText('Third').waitFor();
    await until(() => page.locator('.inbox-row').count()).toBe(2);
  });
});
