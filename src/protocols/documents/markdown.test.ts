import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { toMarkdown, withoutTags } from './markdown.ts';

const logged = (events: readonly object[]): LoggedEvent[] =>
  events.map(
    (event, index) =>
      ({ ts: `2026-11-17T10:00:${10 + index}.000Z`, ...event, seq: index + 1 }) as unknown as LoggedEvent,
  );
const write = (events: readonly object[], title?: string) =>
  toMarkdown({ threadId: 't1', title, events: logged(events), version: '1.2.3' });

describe('a thread as Markdown', () => {
  it('reads like the conversation: words, calls with their results, changes, answers and subagents', () => {
    const text = write(
      [
        { type: 'user', runId: 'u', content: 'Fix the test', by: 'ann' },
        { type: 'harness_start', runId: 'r', agentId: 'coder', parentId: 'u:user', model: 'sonnet' },
        { type: 'reasoning', runId: 'r', id: 'why', content: 'Run it first.' },
        { type: 'text', runId: 'r', id: 'say', content: 'I look.' },
        { type: 'tool_call', runId: 'r', id: 'c1', name: 'bash', input: { command: 'npm test' } },
        {
          type: 'relay',
          runId: 'r',
          id: 'q',
          relayKind: 'permission',
          tool: 'bash',
          toolCallId: 'c1',
          params: {},
          command: 'npm test',
        },
        { type: 'relay_resolved', runId: 'r', relayId: 'q', outcome: 'approve', by: 'ann' },
        { type: 'tool_result', runId: 'r', id: 'c1', name: 'bash', output: { context: '1 failed\n' } },
        {
          type: 'tool_call',
          runId: 'r',
          id: 'c2',
          name: 'edit_file',
          input: { path: 'a.ts', old_string: 'one', new_string: 'two' },
        },
        { type: 'tool_result', runId: 'r', id: 'c2', name: 'edit_file', output: { context: 'Edited' } },
        { type: 'tool_call', runId: 'r', id: 'c3', name: 'subagent', input: { task: 'Check' } },
        { type: 'harness_start', runId: 's', agentId: 'checker', parentId: 'c3' },
        { type: 'text', runId: 's', id: 't', content: 'All fine.' },
        { type: 'harness_end', runId: 's', agentId: 'checker' },
        { type: 'tool_result', runId: 'r', id: 'c3', name: 'subagent', output: { context: 'All fine.' } },
        { type: 'usage', runId: 'r', inputTokens: 1000, outputTokens: 200, cost: 0.5 },
        { type: 'harness_end', runId: 'r', agentId: 'coder', reason: 'aborted' },
      ],
      'Fix <b>it</b>',
    );
    expect(text).toMatchInlineSnapshot(`
      "# Fix &lt;b>it&lt;/b>

      *2026-11-17 10:00 UTC · coder, checker · sonnet · 1.2k tokens · $0.500*

      ## ann · 10:00

      Fix the test

      ## coder · sonnet · 10:00

      > *Thought:* Run it first.

      I look.

      **Ran** \`npm test\` (3.0 s)

      > **Asked:** \`Run $ npm test\` → **Approved by ann**

      \`\`\`text
      1 failed
      \`\`\`

      **Edited** \`a.ts\` (+1 −1, 1.0 s)

      \`\`\`diff
      --- a.ts
      @@
      -one
      +two
      \`\`\`

      **Called** \`subagent Check\` (4.0 s)

      \`\`\`text
      All fine.
      \`\`\`

      > #### checker · 10:00
      >
      > All fine.

      *Stopped.*
      "
    `);
  });

  it('says what was left out of a long output', () => {
    const output = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
    const text = write([
      { type: 'tool_call', runId: 'r', id: 'c', name: 'bash', input: { command: 'seq' } },
      { type: 'tool_result', runId: 'r', id: 'c', name: 'bash', output: { context: output } },
    ]);
    expect(text).toContain('line 11\n… 80 more lines …\nline 92');
  });
});

describe('withoutTags', () => {
  it.each([
    ['<script>x</script>', '&lt;script>x&lt;/script>'],
    ['a <img src=x onerror=y> b', 'a &lt;img src=x onerror=y> b'],
    ['`<b>` and <b>', '`<b>` and &lt;b>'],
    ['```html\n<b>\n```\n<b>', '```html\n<b>\n```\n&lt;b>'],
    ['    ```\n\n<b>', '    ```\n\n&lt;b>'],
    ['- one\n- `<b>` <i>', '- one\n- `<b>` &lt;i>'],
    ['> <b>', '> &lt;b>'],
    ['| a |\n|---|\n| <b> |', '| a |\n|---|\n| &lt;b> |'],
    ['1 < 2 and <!-- c -->', '1 < 2 and &lt;!-- c -->'],
    ['<https://example.com>', '<https://example.com>'],
  ])('escapes what %j has outside of code', (markdown, expected) => {
    expect(withoutTags(markdown)).toBe(expected);
  });
});
