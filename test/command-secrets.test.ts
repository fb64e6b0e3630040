import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SqliteLog } from '../src/log/index.ts';
import { builtCommand } from './support/command.ts';

const key = 'sk-ant-0123456789-abcdef';
const token = 'token-of-a-person';

describe('a key of the environment that a thread contains', () => {
  const { home, singletree } = builtCommand(undefined, {
    ANTHROPIC_API_KEY: key,
    SINGLETREE_TOKENS: `Ann=${token} other-token-word`,
  });
  beforeAll(async () => {
    const log = new SqliteLog(join(home, 'singletree.db'));
    const { id } = await log.createThread({ title: `About ${key}` });
    const runId = 'r';
    await log.append(id, [
      { type: 'user', runId: 'asked', content: `My key is ${key}, and ${token}.` },
      { type: 'harness_start', runId, parentId: 'asked:user', agentId: 'claude' },
      { type: 'text', runId, id: 'text', content: `It is ${key.slice(0, 9)}` },
      { type: 'text', runId, id: 'text', content: `${key.slice(9)}, you said.` },
      { type: 'tool_call', runId, id: 'call', name: 'bash', input: { command: `curl -H 'x-api-key: ${key}'` } },
      { type: 'tool_result', runId, id: 'call', name: 'bash', output: { context: encodeURIComponent(key) } },
      { type: 'harness_end', runId, agentId: 'claude', reason: 'complete' },
    ]);
    await log.close();
  });

  it.each([
    'show',
    'show --json',
    'export',
    'export --format markdown',
    'export --format html',
    'export --format atif',
    'debug prompt',
    'debug prompt --json',
    'threads',
    'search About',
    'graph --json',
  ])('is not printed by %s', line => {
    const args = line.split(' ');
    const { status, stdout, stderr } = singletree(...args);
    expect([status, stderr]).toEqual([0, '']);
    for (const part of [key.slice(0, 9), key.slice(9), token]) expect(stdout).not.toContain(part);
    expect(stdout).toContain('[redacted]');
    if (args.includes('--json') || line === 'export' || line.endsWith('atif'))
      for (const value of stdout.trim().split('\n')) expect(JSON.parse(value)).toBeTypeOf('object');
  });

  it.each(['jsonl', 'markdown', 'html', 'atif'])('is in an exported file (%s) only when that is asked for', format => {
    const [without, all] = [join(home, `without.${format}`), join(home, `all.${format}`)];
    const write = (file: string, ...more: string[]) => singletree('export', '--format', format, '-o', file, ...more);
    expect(write(without)).toEqual({ status: 0, stdout: '', stderr: `Wrote ${without}\n` });
    expect(readFileSync(without, 'utf8')).not.toContain(key.slice(9));
    expect(write(all, '--with-secrets').status).toBe(0);
    expect(readFileSync(all, 'utf8')).toContain(key.slice(9));
    expect(statSync(all).mode & 0o777).toBe(0o600);
    expect(write(all)).toMatchObject({ status: 2, stderr: expect.stringContaining('exists already') as string });
    expect(readFileSync(all, 'utf8')).toContain(key.slice(9));
  });
});
