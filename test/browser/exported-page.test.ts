import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../src/events/index.ts';
import { toHtml } from '../../src/protocols/documents/html.ts';
import { openBrowser } from './page-scene.ts';

const browser = await openBrowser();

const payloads = [
  '<script>window.attacked = 1</script>',
  '<img src=x onerror="window.attacked = 1">',
  '</script><script>window.attacked = 1</script>',
  '</pre></details><svg onload="window.attacked = 1">',
  '"><iframe src="javascript:parent.attacked = 1">',
  "' autofocus onfocus='window.attacked = 1",
  '[x](javascript:window.attacked=1) ![y](https://example.com/pixel.png)',
  '<!--<script>--><style>*{display:none}</style>',
  '</title><meta http-equiv="refresh" content="0;url=https://example.com">',
];

/** Each payload in every field that a page shows. */
const attacks = payloads.flatMap((text, index) => {
  const [runId, call] = [`run-${index}`, `call-${index} ${text}`];
  return [
    { type: 'user', runId: `asked-${index}`, content: text, by: text },
    { type: 'harness_start', runId, agentId: text, parentId: `asked-${index}:user`, model: text },
    { type: 'reasoning', runId, id: 'r', content: text },
    { type: 'text', runId, id: 't', content: `${text}\n\n\`\`\`${text}\n${text}\n\`\`\`` },
    { type: 'tool_call', runId, id: call, name: text, input: { command: text, [text]: text } },
    {
      type: 'relay',
      runId,
      id: `q${index}`,
      relayKind: 'permission',
      tool: text,
      toolCallId: call,
      params: {},
      command: text,
    },
    { type: 'relay_resolved', runId, relayId: `q${index}`, outcome: 'approve', by: text, feedback: text },
    { type: 'tool_result', runId, id: call, name: text, output: { context: text } },
    {
      type: 'tool_call',
      runId,
      id: `edit-${index}`,
      name: 'edit_file',
      input: { path: text, old_string: text, new_string: 'x' },
    },
    { type: 'repl_input', runId, id: `code-${index}`, code: text },
    { type: 'repl_output', runId, id: `code-${index}`, stdout: text, error: text, done: true },
    { type: 'tasks', runId, tasks: [{ id: '1', content: text, status: 'pending' }] },
    { type: 'warning', runId, message: text },
    { type: 'error', runId, message: text },
    {
      type: 'user',
      runId,
      content: [
        { type: 'image', mediaType: text, data: text },
        { type: 'file', data: '', mediaType: text, filename: text },
      ],
    },
    { type: 'harness_end', runId, agentId: text, reason: 'error' },
  ];
});

const turn = [
  { type: 'user', runId: 'u', content: 'Count to three' },
  { type: 'harness_start', runId: 'r', agentId: 'coder', parentId: 'u:user', model: 'sonnet' },
  { type: 'text', runId: 'r', id: 't', content: 'One.\n\nTwo.\n\nThree.' },
  { type: 'tool_call', runId: 'r', id: 'c', name: 'bash', input: { command: 'npm test' } },
  { type: 'tool_result', runId: 'r', id: 'c', name: 'bash', output: { context: 'all passed' } },
  { type: 'text', runId: 'r', id: 'end', content: 'Done.' },
  { type: 'harness_end', runId: 'r', agentId: 'coder' },
];

const logged = (events: readonly object[]): LoggedEvent[] =>
  events.map((event, index) => {
    const ts = new Date(Date.UTC(2026, 10, 17, 10, 0, index)).toISOString();
    return { ts, ...event, seq: index + 1 } as unknown as LoggedEvent;
  });

describe.skipIf(browser === undefined)('an exported page, opened from a file', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'exported-page-'))));
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await browser?.close();
  });

  async function open(events: readonly object[], title: string, javaScriptEnabled: boolean) {
    const file = join(folder, `${javaScriptEnabled}-${events.length}.html`);
    const text = await toHtml({ threadId: 't', title, events: logged(events), version: '1.2.3' });
    await writeFile(file, text);
    const context = await (browser as Browser).newContext({ javaScriptEnabled });
    const page = await context.newPage();
    const requests: string[] = [];
    page.on('request', request => void requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    return { page, context, requests, text };
  }

  const shown = (page: Page) => page.locator('main').innerText();

  it.each([true, false])('shows hostile events as words; with scripts: %s', async javaScriptEnabled => {
    expect(attacks.length).toBeGreaterThan(51);
    const { page, context, requests } = await open(attacks, payloads.join(' '), javaScriptEnabled);
    const text = await shown(page);
    for (const payload of payloads.slice(0, 6)) expect(text).toContain(payload);
    const active =
      'main script, main iframe, main svg, main style, main meta, main img, main [onerror], main [onfocus]';
    expect(await page.locator(active).count()).toBe(0);
    const links = await page.locator('main a').evaluateAll(all => all.map(link => link.getAttribute('href')));
    expect(new Set(links)).toEqual(new Set(['https://example.com/pixel.png']));
    expect(await page.evaluate(() => 'attacked' in globalThis)).toBe(false);
    expect(requests.filter(url => !url.startsWith('file:'))).toEqual([]);
    await context.close();
  });

  it('reads whole without a script', async () => {
    const { page, context } = await open(turn, 'Counting', false);
    const text = await shown(page);
    for (const words of ['Count to three', 'One.', 'Three.', 'npm test', 'Done.']) expect(text).toContain(words);
    expect(await page.getByRole('group', { name: 'Playback' }).count()).toBe(0);
    await page.locator('summary').getByText('npm test').click();
    await page.getByText('all passed').waitFor();
    await context.close();
  });

  it('plays back what happened when, and gives its events back', async () => {
    const { page, context, text } = await open(turn, 'Counting', true);
    const position = page.getByLabel('Position');
    expect(await shown(page)).toContain('Done.');
    await position.fill('0');
    expect(await shown(page)).not.toContain('One.');
    await position.fill('2500');
    expect(await shown(page)).toMatch(/One\.\s+Two\.\s*$/);
    await page.getByRole('button', { name: 'Speed' }).click();
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByText('Done.').waitFor();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save events' }).click();
    expect((await saved).suggestedFilename()).toBe('thread.jsonl');
    const events = await page.locator('#events').evaluate(element => element.textContent ?? '');
    expect(
      events
        .trim()
        .split('\n')
        .map((line: string) => JSON.parse(line) as unknown),
    ).toEqual(logged(turn));
    expect(text.length - events.length).toBeLessThan(300_000);
    await context.close();
  });
});
