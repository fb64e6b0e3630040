import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packedProject } from './support/packed-project.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = readdirSync(join(root, 'examples'))
  .filter(file => file.endsWith('.ts'))
  .map(file => file.replace(/\.ts$/, ''));

/** What each example prints, in this order. */
const printed: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  'harness-console': ['A console on the Harness.', 'build › '],
  'harness-plan-build': ['mode: build → plan', 'plan: A page', 'mode: plan → build', 'index.html'],
  'forked-collaborator': [
    'collaborator forks: Write a greeting for me.',
    'collaborator ends: Dear Ada, good morning!',
    'the parent receives: Dear Ada, good morning!',
    '1 thread, 1 fork',
  ],
  'harness-specification': ['assistant [{"type":"text","text":"Hello!', 'What shall we plan?"}]', '2 messages'],
  'harness-workspace': [
    'ready: project',
    'May I use names.txt? view needs to read this file, outside the workspace.',
    'May I use write?',
    'Moin, Ada!',
  ],
  'support-bot': ['Order A7 is paid back. (complete)', 'Bikes & Co refunds A7 for Ada'],
  'hello-agent': ["I'll roll it.", '→ roll {"sides":6}', '"shows":6', 'A six! You win.', '(complete)'],
  'coding-agent': [
    '{"type":"read","path":"sum.js"',
    '{"type":"write","path":"sum.js"',
    '{"type":"command","command":"node sum.js","exitCode":0',
    'is outside the workspace',
    'It prints 4 now.',
  ],
  'long-memory-chat': [
    'Your name is Ada.',
    'first observation: * [high] User: My name is Ada',
    'observations took effect more than 5 times: true',
    'the longest request had less than 20,000 characters: true',
  ],
  'mcp-server': [
    '→ mcp__weather__forecast {"city":"Bergen"}',
    '← {"context":"Rain in Bergen.","result":"Rain in Bergen."}',
    'Take an umbrella.',
  ],
  'parallel-subagents': [
    'coordinator starts',
    'scout starts',
    'scout starts',
    'scout starts',
    '← The server looks fine.',
    '← The docs looks fine.',
    'coordinator ends (complete)',
    'agent → ',
    'harness_start',
  ],
  'hono-sessions': [
    'My product',
    'nobody 401',
    'ann Hello!',
    'bob 403',
    'session-of-ann: 1 threads',
    'session-of-bob: 0 threads',
  ],
  'own-parts': ['Say \\"Moin\\"', 'Rain in Bergen.', 'morning', 'rain!'],
  'runtime-page': ['<title>Bistro</title>', 'May I book? You approve it.', 'See you at eight.'],
  analytics: [
    'acme: 4 model calls',
    'bikes: 4 model calls',
    'agent: 2 calls, 0 failed',
    'count: 4 calls, 0 failed',
    'count: 2 calls',
    'agent: 1 calls',
    '9 nodes, 9 edges, 1 subagent: <svg',
  ],
  'rlm-over-a-long-file': ['1 of 4208900', '(a model is asked)', 'disk /dev/sdb full.'],
  'runtime-approvals': [
    'call plan',
    'plan: pending_approval',
    'a person decides about the plan',
    'plan: executed',
    '=> {"planId":"demo-plan-1"',
    'call set_price',
    'a person decides about the tool',
    '=> {"product":"tea","price":4}',
    'Tea is 4 now.',
    'stop, 41 tokens',
  ],
  'tool-with-approval': [
    'May I remove {"path":"notes.txt"}? You approve it.',
    'May I remove {"path":"/"}? You reject it.',
    // Results of parallel calls come in any order.
    ['notes.txt is gone.', '"status":"denied"'],
    'left the rest alone.',
  ],
  'continue-after-a-crash': [
    'tool_result',
    'A second process goes on with 1 run.',
    'relay_resolved',
    'Rome and Oslo are booked.',
    'harness_end',
  ],
};

describe('the examples', () => {
  let project = '';
  beforeAll(() => {
    project = packedProject();
    cpSync(join(root, 'build/examples'), join(project, 'examples'), { recursive: true });
  }, 60_000);
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('are all known here, and short', () => {
    expect(names.toSorted()).toEqual(Object.keys(printed).toSorted());
    for (const name of names)
      expect(readFileSync(join(root, 'examples', `${name}.ts`), 'utf8').split('\n').length).toBeLessThanOrEqual(60);
  });

  it('are the code of the guides that show them whole', () => {
    const [, ...code] = readFileSync(join(root, 'examples/harness-workspace.ts'), 'utf8').split('\n');
    expect(readFileSync(join(root, 'docs/guides/workspace.md'), 'utf8')).toContain(
      `\`\`\`js\n// writer.mjs\n${code.join('\n')}\`\`\``,
    );
  });

  it.each(Object.entries(printed))('%s runs against the packed package', (name, expected) => {
    const built = join(project, 'examples', `${name}.js`);
    expect(existsSync(built), `${built} is missing: run npm run build`).toBe(true);
    const output = execFileSync(process.execPath, [built], {
      cwd: project,
      encoding: 'utf8',
      timeout: 20_000,
      input: '',
    });
    let from = 0;
    for (const texts of expected) {
      const ends = [texts].flat().map(text => {
        const at = output.indexOf(text, from);
        expect(at, `${JSON.stringify(text)} in\n${output}`).toBeGreaterThanOrEqual(from);
        return at + text.length;
      });
      from = Math.max(...ends);
    }
  });
});
