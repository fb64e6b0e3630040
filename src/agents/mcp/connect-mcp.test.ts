import { afterEach, describe, expect, it, vi } from 'vitest';
import { callTool, isAlive, testProgram } from '../../../test/support/mcp.ts';
import { describeTool } from '../loop/tool.ts';
import { connectAllMcp, connectMcp } from './connect-mcp.ts';
import type { McpProgram, McpServersConfig } from '../contract/mcp-server.ts';
import type { McpOptions, McpSource } from './mcp-source.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(source => source.close()));
});
const connect = async (server: McpProgram = testProgram(), options: McpOptions = {}): Promise<McpSource> => {
  const source = await connectMcp(server, { restartDelayMs: 1, ...options });
  open.push(source);
  return source;
};
const namesOf = (source: McpSource) => source.tools().map(tool => tool.name);
const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => 'it did not fail',
    (error: Error) => error.message,
  );
const pidsOf = async (source: McpSource) => {
  const { context } = (await callTool(source, 'child')) as { context: string };
  return context.split(' ').map(Number);
};

describe('the tools of a server', () => {
  it('have its names and schemas, and the category mcp', async () => {
    const source = await connect();
    expect(namesOf(source)).toEqual([
      ...[
        'echo',
        'add',
        'fail',
        'crash',
        'wait',
        'cancelled',
        'big',
        'media',
        'environment',
        'child',
        'deafen',
        'grow',
      ].map(name => `mcp__test__${name}`),
      expect.stringMatching(/^mcp__test__dotted_name_[0-9a-f]{8}$/),
      'mcp__test__dotted_name',
    ]);
    const [echo] = source.tools();
    expect(echo && describeTool(echo)).toEqual({
      type: 'function',
      name: 'mcp__test__echo',
      description: 'does echo',
      inputSchema: expect.objectContaining({
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
      }),
    });
    expect(new Set(source.tools().map(tool => tool.category))).toEqual(new Set(['mcp']));
  });

  it('give text to the model, and structured content to programs', async () => {
    const source = await connect();
    expect(await callTool(source, 'echo', { text: 'hi' })).toEqual({ context: 'hi' });
    expect(await callTool(source, 'add', { a: 1, b: 2 })).toEqual({ context: '3', result: { sum: 3 } });
    expect(await callTool(source, 'dotted_name')).toEqual({ context: 'with a line' });
  });

  it('describe content that is not text', async () => {
    expect(await callTool(await connect(), 'media')).toEqual({
      context: [
        'Look:',
        '[image image/png, 3 bytes]',
        '[resource file:///a.txt]',
        'what a.txt says',
        '[resource file:///a.zip, application/zip, 6 bytes]',
        '[resource b: file:///b.txt] the second file',
      ].join('\n'),
    });
  });

  it("throw the error of a failed tool, and the server's objection to the input", async () => {
    const source = await connect();
    await expect(callTool(source, 'fail', { words: 'no such city' })).rejects.toThrow(/^no such city$/);
    await expect(callTool(source, 'echo', { text: 5 })).rejects.toThrow(/expected string/);
    expect(source.status).toEqual({ state: 'connected' });
  });

  it('shorten a result of a megabyte', async () => {
    const { context, result } = (await callTool(await connect(), 'big', { size: 1_000_000 })) as {
      context: string;
      result?: unknown;
    };
    expect(context.length).toBeLessThan(100_200);
    expect(context).toMatch(/characters left out[\s\S]*structured content of 1000008 characters is too long/);
    expect(result).toBeUndefined();
  });

  it('are replaced when the server changes them', async () => {
    const source = await connect();
    const before = source.tools();
    await callTool(source, 'grow');
    await vi.waitFor(() => expect(namesOf(source)).toContain('mcp__test__grown'));
    expect(before).toHaveLength(14);
    expect(await callTool(source, 'grown')).toEqual({ context: 'I am new.' });
  });

  it('are listed a few times, and end as they are, when the server reports thousands of changes', async () => {
    const source = await connect(testProgram('flood'));
    await callTool(source, 'flood');
    await callTool(source, 'grow');
    await vi.waitFor(() => expect(namesOf(source)).toContain('mcp__test__grown'), { timeout: 10_000 });
    const { context } = (await callTool(source, 'listed')) as { context: string };
    expect(Number(context)).toBeLessThan(50);
  });

  it('work with a server that supports only the newest protocol', async () => {
    expect(await callTool(await connect(testProgram('modern')), 'echo', { text: 'hi' })).toEqual({ context: 'hi' });
  });
});

describe('a call', () => {
  it("reports the server's progress, and is cancelled in the server too", async () => {
    const source = await connect();
    const stop = new AbortController();
    const reports: unknown[] = [];
    const progress = (report: unknown) => {
      reports.push(report);
      stop.abort(new Error('enough'));
    };
    await expect(callTool(source, 'wait', {}, { signal: stop.signal, progress })).rejects.toThrow('enough');
    expect(reports).toEqual([{ progress: 1, total: 3, message: 'on it' }]);
    await vi.waitFor(async () => expect(await callTool(source, 'cancelled')).toEqual({ context: '1' }));
  });

  it('fails after a time without an answer, and keeps the server for the next one', async () => {
    const source = await connect(testProgram(), { callTimeoutMs: 1_500 });
    expect(await messageOf(callTool(source, 'wait'))).toBe(
      'The MCP server "test" gave no answer to "wait" for 1500 ms, and the call was cancelled. What it did is unknown; ask for less, or allow more time with callTimeoutMs.',
    );
    expect(await callTool(source, 'echo', { text: 'still here' })).toEqual({ context: 'still here' });
  });
});

describe('a server that dies', () => {
  it('fails the call with its exit, without its secrets, and is restarted by the next call', async () => {
    const source = await connect(testProgram('stdio', { env: { API_TOKEN: 'tok-12345' } }));
    expect(await messageOf(callTool(source, 'crash', { code: 3 }))).toBe(
      'The MCP server "test" was lost while it worked on "crash": it exited with code 3. Its stderr ends with: "cannot go on with [hidden]". What the call did is unknown. The next call connects to the server again.',
    );
    expect(source.status).toMatchObject({ state: 'down', problem: expect.stringContaining('exited with code 3') });
    expect(await callTool(source, 'echo', { text: 'back' })).toEqual({ context: 'back' });
    expect(source.status).toEqual({ state: 'connected' });
  });

  it('is started once for all waiting calls', async () => {
    const source = await connect();
    await messageOf(callTool(source, 'crash', { code: 1 }));
    const [one, two] = await Promise.all([pidsOf(source), pidsOf(source)]);
    expect(one[0]).toBe(two[0]);
  });

  it('is given up after too many consecutive exits, until it is reconnected', async () => {
    const source = await connect(testProgram(), { maxRestarts: 2 });
    const crash = () => messageOf(callTool(source, 'crash', { code: 9 }));
    for (let time = 0; time < 3; time++) expect(await crash()).toContain('exited with code 9');
    const givenUp = await crash();
    expect(givenUp).toMatch(/^The MCP server "test" is down, and was tried 2 times in a row\. It was lost .*code 9/);
    expect(await crash()).toBe(givenUp);
    await source.reconnect();
    expect(await callTool(source, 'echo', { text: 'back' })).toEqual({ context: 'back' });
  });

  it('or stops reading does not crash this process', async () => {
    const source = await connect();
    await callTool(source, 'deafen');
    expect(await messageOf(callTool(source, 'echo', { text: 'hi' }))).toContain('was lost while it worked on "echo"');
    expect(await callTool(source, 'echo', { text: 'back' })).toEqual({ context: 'back' });
  });

  it('has no effect when it is killed between two calls', async () => {
    const source = await connect();
    const [pid = 0] = await pidsOf(source);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(source.status.state).toBe('down'));
    expect(await callTool(source, 'echo', { text: 'back' })).toEqual({ context: 'back' });
  });
});

describe('a server that does not start', () => {
  it('is reported when its program is missing', async () => {
    expect(await messageOf(connect({ name: 'gone', command: 'no-such-program-here' }))).toBe(
      'The MCP server "gone" could not be connected to: its program "no-such-program-here" was not found: install it or give its full path. Check its configuration.',
    );
  });

  it('is reported when its folder is missing', async () => {
    expect(await messageOf(connect(testProgram('stdio', { cwd: '/no/such/folder' })))).toContain(
      'its folder "/no/such/folder" does not exist',
    );
  });

  it('is reported with its last output when it exits at once, without its secrets', async () => {
    const message = await messageOf(connect(testProgram('broken', { env: { API_TOKEN: 'tok-12345' } })));
    expect(message).toContain('it exited with code 7. Its stderr ends with: "no database for [hidden]".');
  });

  it('is reported when it never answers, within the time limit, and is ended', async () => {
    const server = { name: 'silent', command: 'sh', args: ['-c', 'echo "I am $$" >&2; exec sleep 60'] };
    const message = await messageOf(connect(server, { startTimeoutMs: 1_000 }));
    expect(message).toMatch(/did not answer within 1000 ms\. Its stderr ends with: "I am \d+"/);
    expect(isAlive(Number(/I am (\d+)/.exec(message)?.[1]))).toBe(false);
  });

  it('is refused for a setting that it does not have', async () => {
    expect(await messageOf(connect({ name: 'odd', command: 'sh', arg: [] } as McpProgram))).toContain(
      'The MCP server "odd" has no option `arg`: did you mean `args`?',
    );
  });

  it('is reported when it is neither a program nor an address', async () => {
    expect(await messageOf(connect({ name: 'odd' } as McpProgram))).toBe(
      'The MCP server "odd" is not configured correctly: set either a "command" to run or a "url" to call.',
    );
  });
});

describe('the process of a server', () => {
  it('has the general environment, and its configured variables', async () => {
    process.env['MCP_TEST_OWN_SECRET'] = 'mine';
    const source = await connect(testProgram('stdio', { env: { GIVEN: 'yours' } }));
    delete process.env['MCP_TEST_OWN_SECRET'];
    const { context } = (await callTool(source, 'environment')) as { context: string };
    expect(JSON.parse(context)).toMatchObject({ GIVEN: 'yours', PATH: process.env['PATH'] });
    expect(context).not.toContain('MCP_TEST_OWN_SECRET');
  });

  it('ends with all its children when the source is closed', async () => {
    const source = await connect();
    const pids = await pidsOf(source);
    expect(pids.map(isAlive)).toEqual([true, true]);
    const waiting = messageOf(callTool(source, 'wait'));
    await source.close();
    expect(await waiting).toContain('was closed');
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(source.status.state).toBe('closed');
    expect(await messageOf(callTool(source, 'echo', { text: 'hi' }))).toContain('was closed');
  });
});

describe('several servers', () => {
  const config = (mcpServers: McpServersConfig['mcpServers']) => connectAllMcp({ mcpServers }, { restartDelayMs: 1 });

  it('are connected together; one that fails is reported and stops no other', async () => {
    const { name: _, ...program } = testProgram();
    const all = await config({
      'a.b': program,
      missing: { command: 'no-such-program-here' },
      a_b: program,
      odd: {} as { command: string },
    });
    open.push(all);
    expect(all.sources.map(source => source.name)).toEqual(['a.b', 'a_b']);
    expect(all.failures).toMatchObject([
      { name: 'missing', error: { message: expect.stringContaining('was not found') } },
      { name: 'odd', error: { code: 'invalid_argument' } },
    ]);
    expect(all.tools()).toHaveLength(28);
    expect(new Set(all.tools().map(tool => tool.name)).size).toBe(28);
  });

  it('are rejected when the configuration has another shape', async () => {
    await expect(config('servers' as never)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
