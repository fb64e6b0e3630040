import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { type Gate, gate, scriptedAgent } from '../support/scripted-agent.ts';
import type { TestServer } from '../support/test-server.ts';
import { openBrowser, usePage } from './page-scene.ts';
import { choose } from './view-checks.ts';

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

/** Asks before an edit. */
const editing = scriptedAgent(
  'editing',
  async function* ({
    event,
    answer,
    params: {
      run: { runId },
    },
  }) {
    const tool = { id: `${runId}/c`, name: 'edit' };
    const params = { path: 'a.ts', old_string: 'before', new_string: 'after' };
    yield event('tool_call', { ...tool, input: params });
    yield event('relay', { id: `${runId}/ask`, relayKind: 'permission', toolCallId: tool.id, tool: 'edit', params });
    const { outcome } = await answer(`${runId}/ask`);
    yield event('tool_result', { ...tool, output: { context: 'Edited a.ts' } });
    yield event('text', { id: 't', content: outcome === 'approve' ? 'It was approved.' : 'It was not.' });
  },
);

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
  await page.getByRole('log').locator('.row').first().waitFor();
  return page.getByRole('log');
}

const text = (content: string): AgentEvent => ({ type: 'text', runId: 'r', id: 'r/t', content });

const call = (name: string, input: object, id = 'r/c'): AgentEvent => ({
  type: 'tool_call',
  runId: 'r',
  id,
  name,
  input,
});
const result = (name: string, output: object, id = 'r/c'): AgentEvent => ({
  type: 'tool_result',
  runId: 'r',
  id,
  name,
  output,
});

describe.skipIf(browser === undefined)('an entry of the conversation', () => {
  const scene = usePage(browser, [writer, editing]);
  beforeEach(() => {
    ({ server, page } = scene);
    gates = [gate(), gate(), gate()];
  });

  it('names no next try once the call was made again', async () => {
    const message = 'Slow down. Trying again in 3 s.';
    const log = await show(
      { type: 'warning', runId: 'r', code: 'rate_limited', message, retryAfterMs: 3_000 },
      text('Here.'),
    );
    await log.getByText('Slow down.', { exact: true }).waitFor();
  });

  it('has tables, nested and task lists, strikethrough and links', async () => {
    const log = await show(
      text(
        '| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n  - nested\n\n~~old~~ [docs](https://a.b) https://c.d',
      ),
    );
    await log.getByRole('table').waitFor();
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
    await choose(page, 'Agent', 'writer');
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

  it('is one line with verb, object, size and time, and shows head and tail of the output', async () => {
    const lines = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
    const log = await show(call('bash', { command: 'make all' }), result('bash', { context: lines }));
    const card = log.getByRole('region', { name: 'Tool bash' });
    expect((await card.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/^Ran make all 100 lines \d+ ms/);
    await card.locator('summary').click();
    await card.getByText('80 lines hidden').waitFor();
    expect(await card.getByText('line 50', { exact: false }).count()).toBe(0);
    await card.getByRole('button', { name: 'Show all' }).click();
    await card.getByText('line 50', { exact: false }).waitFor();
  });

  it('shows exit codes, failures and denials with their reasons without being opened', async () => {
    const log = await show(
      call('bash', { command: 'false' }, 'r/1'),
      result('bash', { context: 'broken\n[exit code 3]', result: { exitCode: 3 } }, 'r/1'),
      call('read', { path: 'missing.ts' }, 'r/2'),
      result('read', { error: 'There is no file missing.ts.' }, 'r/2'),
      call('write', { path: '.env', content: 'x' }, 'r/3'),
      result('write', { status: 'denied', reason: 'Secrets are protected.' }, 'r/3'),
    );
    await log.getByText('Exit code 3', { exact: true }).waitFor();
    await log.getByText('broken').waitFor();
    await log.getByText('There is no file missing.ts.').waitFor();
    await log.getByText('Secrets are protected.').waitFor();
    await log.getByText('Denied').waitFor();
  });

  it('shows images of a result', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const context = [{ type: 'image', mediaType: 'image/png', data: png }];
    const log = await show(call('read', { path: 'a.png' }), result('read', { context }));
    await log.locator('summary').click();
    expect(
      await log.getByRole('img').evaluate(image => (image as unknown as { naturalWidth: number }).naturalWidth),
    ).toBe(1);
  });

  it('shows the diff of an edit with counts, line numbers and marked words', async () => {
    const log = await show(
      call('edit', {
        path: 'src/a.ts',
        old_string: 'const a = 1;\nkeep();',
        new_string: 'const b = 1;\nkeep();\nmore();',
      }),
      result('edit', { context: 'Edited', result: { path: 'src/a.ts', line: 7 } }),
    );
    const card = log.getByRole('region', { name: 'Tool edit' });
    await card.getByText('+2 −1').waitFor();
    await card.locator('summary').click();
    const diff = card.getByRole('group', { name: 'Changes of src/a.ts' });
    await diff.getByRole('table').waitFor();
    expect(await diff.locator('mark').allInnerTexts()).toEqual(['a', 'b']);
    expect(await diff.locator('tr').evaluateAll(rows => rows.map(row => row.getAttribute('data-line')))).toEqual([
      'removed',
      'added',
      'same',
      'added',
    ]);
    const numbers = diff.locator('tr').last().locator('[data-number]');
    expect(await numbers.evaluateAll(cells => cells.map(cell => cell.getAttribute('data-number')))).toEqual(['', '9']);
  });

  it('shows the changes of external agents, and folds long ones', async () => {
    const { id } = await server.log.createThread();
    const content = Array.from({ length: 500 }, (_, line) => `row ${line}\n`).join('');
    const changes = [
      { path: '/p/a.ts', kind: 'update', diff: '@@ -1 +1 @@\n-old text\n+new text\n' },
      { path: '/p/b.ts', kind: 'add', diff: content },
    ];
    await server.log.append(id, [
      { type: 'user', runId: 'u', content: 'Go.' },
      { type: 'harness_start', runId: 'r', parentId: 'u:user', agentId: 'codex' },
      call('file_change', { changes }),
      result('file_change', { context: 'done' }),
      { type: 'harness_end', runId: 'r', agentId: 'codex', reason: 'complete' },
    ]);
    await page.goto(`${server.url}/threads/${id}`);
    const card = page.getByRole('region', { name: 'Tool file_change' });
    await card.getByText('Edited').click();
    await card.getByText('+501 −1').waitFor();
    await card.getByText('new text').waitFor();
    expect(await card.getByRole('group', { name: 'Changes of /p/b.ts' }).locator('tr').count()).toBe(40);
    await card.getByRole('button', { name: 'Show 460 more lines' }).click();
    await card.getByText('row 499').waitFor();
  });

  it('shows what an edit would change before it is approved', async () => {
    await page.goto(server.url);
    await choose(page, 'Agent', 'editing');
    await page.getByLabel('Message').fill('Edit');
    await page.keyboard.press('Enter');
    const card = page.getByRole('region', { name: 'Tool edit' });
    await card.getByRole('group', { name: 'Changes of a.ts' }).getByText('after').waitFor();
    await card.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('It was approved.').waitFor();
  });
});
