import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { type Gate, gate, scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';

const browser = await openBrowser();

let server: TestServer;
let page: Page;
let gates: Gate[];

/** Writes a text in pieces, each after its gate. */
const writer = scriptedAgent('writer', async function* ({ event, until }) {
  const pieces = [
    'Kept paragraph.\n\n| a | b |\n|---|--:|\n| 1 |',
    ' 2 |\n\n```ts\nconst x',
    ' = 1;\n```\n',
    '\nThe end.',
  ];
  for (const [index, content] of pieces.entries()) {
    yield event('text', { id: 't', content });
    await until(gates[index]?.opened ?? Promise.resolve());
  }
});

/** Opens a thread in which an agent did this. */
async function show(...events: readonly AgentEvent[]): Promise<Locator> {
  const { id } = await server.log.createThread();
  await server.log.append(id, [
    { type: 'user', runId: 'u', content: 'Go.' },
    { type: 'harness_start', runId: 'r', parentId: 'u:user', agentId: 'coder' },
    ...events,
    { type: 'harness_end', runId: 'r', agentId: 'coder', reason: 'complete' },
  ]);
  await page.goto(`${server.url}/threads/${id}`);
  return page.getByRole('log');
}

const text = (content: string): AgentEvent => ({ type: 'text', runId: 'r', id: 'r/t', content });

describe.skipIf(browser === undefined)('the text of an agent', () => {
  const scene = usePage(browser, [writer]);
  beforeEach(() => {
    ({ server, page } = scene);
    gates = [gate(), gate(), gate()];
  });

  it('has tables, nested and task lists, strikethrough and links', async () => {
    const log = await show(
      text(
        '| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n  - nested\n\n~~old~~ [docs](https://a.b) https://c.d',
      ),
    );
    expect(await log.getByRole('table').getByRole('cell').allInnerTexts()).toEqual(['1', '2']);
    expect(await log.getByRole('checkbox').evaluateAll(boxes => boxes.map(box => box.matches(':checked')))).toEqual([
      true,
      false,
    ]);
    expect(await log.locator('li li').innerText()).toBe('nested');
    expect(await log.locator('del').innerText()).toBe('old');
    const links = await log
      .locator('.prose a')
      .evaluateAll(all => all.map(a => [a.getAttribute('href'), a.getAttribute('rel')]));
    expect(links).toEqual([
      ['https://a.b', 'noopener noreferrer nofollow'],
      ['https://c.d', 'noopener noreferrer nofollow'],
    ]);
  });

  it('keeps the nodes of closed blocks while more text comes, and highlights code once it is closed', async () => {
    await page.goto(server.url);
    await page.getByLabel('Agent').selectOption('writer');
    await page.getByLabel('Message').fill('Write');
    await page.keyboard.press('Enter');
    const log = page.getByRole('log');
    const first = await log.getByText('Kept paragraph.').elementHandle();
    gates[0]?.open();
    await log.getByText('const x').waitFor();
    const table = await log.getByRole('table').elementHandle();
    expect(await log.locator('.code-keyword').count()).toBe(0);
    gates[1]?.open();
    await log.locator('.code-keyword').getByText('const').waitFor();
    gates[2]?.open();
    await log.getByText('The end.').waitFor();
    await page.getByRole('status').filter({ hasNotText: 'Working' }).waitFor();
    const stays = await page.evaluate(nodes => nodes.map(node => node?.isConnected), [first, table]);
    expect(stays).toEqual([true, true]);
  });

  it('labels code, copies it and wraps it', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const log = await show(text('```python\nprint("a")\n```'));
    const block = log.locator('.code-block');
    await block.getByText('python').waitFor();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('print("a")');
    await block.getByRole('button', { name: 'Wrap' }).click();
    expect(await page.evaluate("getComputedStyle(document.querySelector('.code-block pre')).whiteSpace")).toBe(
      'pre-wrap',
    );
  });

  it('highlights code of many lines', async () => {
    const log = await show(text(`\`\`\`ts\n${'const a = "b";\n'.repeat(400)}\`\`\``));
    await log.locator('.code-keyword').first().waitFor();
    expect(await log.locator('.code-keyword').getByText('const').count()).toBe(400);
  });

  it('does nothing when it is hostile', async () => {
    const hostile = [
      '<script>document.title="bad"</script>',
      '<img src=x onerror="document.title=1">',
      '<svg onload="document.title=1"><a href="javascript:alert(1)">x</a></svg>',
      '[x](javascript:alert(1)) [y](java\tscript:alert(1)) [z](data:text/html,x) [&#106;](&#106;avascript:alert(1))',
      '![pixel](https://tracker.example/p.png)',
      '`a\u202Eb`',
      '[ref]',
      '[ref]: javascript:alert(1)',
    ].join('\n\n');
    const requests: string[] = [];
    page.on('request', request => requests.push(request.url()));
    const log = await show(text(hostile));
    await log.getByText('document.title="bad"').waitFor();
    expect(await page.title()).toContain('Singletree');
    expect(await log.locator('.prose :is(script, img, svg, iframe)').count()).toBe(0);
    const hrefs = await log.locator('.prose a').evaluateAll(all => all.map(a => a.getAttribute('href')));
    expect(hrefs).toEqual(['https://tracker.example/p.png']);
    expect(await log.locator('.prose code').innerText()).toBe('a[U+202E]b');
    expect(requests.filter(url => !url.startsWith(server.url))).toEqual([]);
  });

  it('shows of a line of 10 MB its head and tail, and offers it as a file', async () => {
    const log = await show(text(`begin ${'x'.repeat(10_000_000)} end`));
    await log.getByText('9,800,010 characters hidden').waitFor();
    const download = page.waitForEvent('download');
    await log.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('text.txt');
    expect((await log.innerText()).length).toBeLessThan(210_000);
  });

  it('shows the first rows of a long table, and the others on demand', async () => {
    const log = await show(text(`| n |\n|---|\n${Array.from({ length: 500 }, (_, row) => `| ${row} |\n`).join('')}`));
    await log.getByRole('button', { name: 'Show 400 more rows' }).click();
    expect(await log.getByRole('row').count()).toBe(501);
  });
});
