import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type CallOptions, callTool } from '../../../../test/support/call-tool.ts';
import type { Tool } from '../../contract/agent.ts';
import { workspaceTools } from '../workspace-tools.ts';

const root = mkdtempSync(join(tmpdir(), 'singletree-tools-'));
let tools: Tool[] = [];

afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  tools = workspaceTools(root);
});

const file = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const filesNow = () => readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
const call = (name: string, input: unknown, options?: CallOptions) => callTool(tools, [name, input], options);
const read = (input: object, options?: CallOptions) => call('read', input, options);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

describe('read', () => {
  it('returns lines with their numbers', async () => {
    file('a.txt', 'one\r\ntwo\n\nfour');
    expect(await read({ path: 'a.txt' })).toEqual({
      context: '1\tone\n2\ttwo\n3\t\n4\tfour',
      result: { path: 'a.txt', size: 14, startLine: 1, endLine: 4, isEnd: true },
    });
  });

  it('returns a range of lines, and how to continue', async () => {
    file('a.txt', numbers(10));
    expect(await read({ path: 'a.txt', offset: 3, limit: 2 })).toEqual({
      context: '3\tline 3\n4\tline 4\n[There is more: continue with offset 5.]',
      result: { path: 'a.txt', size: 70, startLine: 3, endLine: 4, isEnd: false },
    });
    expect((await read({ path: 'a.txt', offset: 9, limit: 2 })).result).toMatchObject({ endLine: 10, isEnd: true });
    expect((await read({ path: 'a.txt', offset: 11 })).context).toBe('a.txt has fewer than 11 lines.');
    file('empty.txt', '');
    expect((await read({ path: 'empty.txt' })).context).toBe('empty.txt is empty.');
  });

  it("returns at most 2,000 lines and less than the loop's limit", async () => {
    file('many.txt', '\n'.repeat(3_000));
    expect((await read({ path: 'many.txt', limit: 5_000 })).result).toMatchObject({ endLine: 2_000, isEnd: false });
    file('wide.txt', `${'x'.repeat(1_000)}\n`.repeat(100));
    const { context, result } = await read({ path: 'wide.txt' });
    expect(context.length).toBeLessThan(26_000);
    expect(context).toMatch(/\[There is more: continue with offset 25\.\]$/);
    expect(result).toMatchObject({ endLine: 24, isEnd: false });
  });

  it('cuts lines that are too long, and counts them once', async () => {
    file('long.txt', `${'x'.repeat(200_000)}\nnext`);
    const { context } = await read({ path: 'long.txt' });
    expect(context).toBe(`1\t${'x'.repeat(2_000)} [… the rest of this line is omitted]\n2\tnext`);
  });

  it('reads the beginning of a file that is larger than memory', async () => {
    file('huge.txt', `${numbers(2_000)}\n`);
    truncateSync(join(root, 'huge.txt'), 64 * 1024 ** 3);
    const { context, result } = await read({ path: 'huge.txt', limit: 2 });
    expect(context).toBe('1\tline 1\n2\tline 2\n[There is more: continue with offset 3.]');
    expect(result).toMatchObject({ size: 64 * 1024 ** 3, isEnd: false });
    file('log.txt', numbers(400_000));
    const before = process.memoryUsage().arrayBuffers;
    expect((await read({ path: 'log.txt', offset: 399_999 })).context).toBe('399999\tline 399999\n400000\tline 400000');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 ** 2);
  });

  it('stops when it is aborted', async () => {
    file('a.txt', 'x');
    await expect(read({ path: 'a.txt' }, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });

  it.each([
    ['a PNG image', '\x89PNG\r\n\x1a\n\0'],
    ['a JPEG image', '\xff\xd8\xff\xe0'],
    ['a WebP image', 'RIFF\x10\0\0\0WEBP'],
    ['a PDF document', '%PDF-1.7'],
    ['UTF-16 text', '\xff\xfea\0'],
    ['binary data', 'text and \0'],
  ])('says that a file is %s', async (kind, content) => {
    file('blob', Buffer.from(content, 'latin1'));
    expect(await read({ path: 'blob' })).toEqual({
      context: `blob is not text: it is ${kind} of ${content.length} bytes.`,
      result: { path: 'blob', size: content.length, binary: kind },
    });
  });

  it('rejects what is not a file of the workspace', async () => {
    mkdirSync(join(root, 'folder'));
    await expect(read({ path: 'folder' })).rejects.toThrow('List it to see what is in it');
    await expect(read({ path: '../secret' })).rejects.toThrow('outside the workspace');
    await expect(read({ path: 'no.txt' })).rejects.toThrow('does not exist');
    await expect(read({ path: 'a', offset: 0 })).rejects.toThrow('offset');
  });
});

describe('write', () => {
  it('creates a file and the folders it is in', async () => {
    expect(await call('write', { path: 'a/b/c.txt', content: 'é' })).toEqual({
      context: 'Created a/b/c.txt (2 bytes).',
      result: { path: 'a/b/c.txt', bytes: 2, created: true },
    });
    expect(textOf('a/b/c.txt')).toBe('é');
    expect(filesNow()).toEqual(['a', 'a/b', 'a/b/c.txt']);
  });

  it('replaces only a file that this run has read, in the state it has read', async () => {
    file('a.txt', 'old');
    const write = () => call('write', { path: 'a.txt', content: 'new' });
    await expect(write()).rejects.toThrow('a.txt exists and was not read. Read it before you replace it.');
    await read({ path: 'a.txt' }, { runId: 'another' });
    await expect(write()).rejects.toThrow('was not read');
    await read({ path: 'a.txt' });
    file('a.txt', 'other');
    await expect(write()).rejects.toThrow('changed since it was read. Read it again');
    await read({ path: 'a.txt' });
    expect((await write()).context).toBe('Replaced a.txt (3 bytes).');
    expect((await write()).context).toBe('Replaced a.txt (3 bytes).');
  });

  it('rejects a path outside', async () => {
    for (const path of ['../a.txt', '/etc/a.txt', 'a.txt/'])
      await expect(call('write', { path, content: '' })).rejects.toThrow();
  });
});

describe('edit', () => {
  const edit = (old_string: string, new_string: string, more: object = {}) =>
    call('edit', { path: 'a.txt', old_string, new_string, ...more });

  it('replaces a text that occurs once', async () => {
    file('a.txt', 'one\ntwo\nthree\n');
    expect(await edit('two\nthree', '2\n3')).toEqual({
      context: 'Edited a.txt at line 2.',
      result: { path: 'a.txt', replacements: 1, line: 2 },
    });
    expect(textOf('a.txt')).toBe('one\n2\n3\n');
  });

  it('replaces every occurrence only on request', async () => {
    file('a.txt', 'x\nx\n');
    await expect(edit('x', 'y')).rejects.toThrow('old_string occurs 2 times');
    expect(textOf('a.txt')).toBe('x\nx\n');
    expect((await edit('x', '$&', { replace_all: true })).result).toEqual({ path: 'a.txt', replacements: 2, line: 1 });
    expect(textOf('a.txt')).toBe('$&\n$&\n');
  });

  it('reports a text that does not match', async () => {
    file('a.txt', 'one');
    await expect(edit('two', 'x')).rejects.toThrow('a.txt was not changed: old_string does not occur in it.');
    await expect(edit('one', 'one')).rejects.toThrow('are the same');
    await expect(edit('', 'x')).rejects.toThrow('old_string');
    file('a.txt', Buffer.from([0x6f, 0xff]));
    await expect(edit('o', 'x')).rejects.toThrow('not text in UTF-8');
    file('a.txt', 'o\0');
    await expect(edit('o', 'x')).rejects.toThrow('binary data, not text');
  });

  it('needs no read before, but a new one after the file changed', async () => {
    file('a.txt', 'one two');
    await edit('one', '1');
    await edit('two', '2');
    file('a.txt', 'three');
    await expect(edit('three', '3')).rejects.toThrow(
      'a.txt changed since it was read. Read it again before you edit it.',
    );
    await read({ path: 'a.txt' });
    await edit('three', '3');
    expect(textOf('a.txt')).toBe('3');
  });

  it('knows a file by any of its paths', async () => {
    file('folder/a.txt', 'one');
    symlinkSync('folder/a.txt', join(root, 'a.txt'));
    await read({ path: join(root, 'folder/../a.txt') });
    file('folder/a.txt', 'other one');
    await expect(edit('one', '1')).rejects.toThrow('changed since');
  });

  it('keeps Windows line endings and a byte order mark', async () => {
    file('a.txt', '\uFEFFone\r\ntwo\r\n');
    await edit('one\ntwo', '1\n2');
    expect(textOf('a.txt')).toBe('\uFEFF1\r\n2\r\n');
  });

  it('loses nothing when calls run concurrently', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `<${index}>`);
    file('a.txt', names.join(' '));
    await Promise.all(names.map(name => edit(name, name.toUpperCase().replace('<', 'done<'))));
    expect(textOf('a.txt')).toBe(names.map(name => `done${name}`).join(' '));
  });
});

describe('patch', () => {
  const patch = (...lines: string[]) =>
    call('patch', { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

  it('adds, updates, moves and deletes files', async () => {
    file('update.txt', 'a\nb\nc\n');
    file('move.txt', 'x\n');
    chmodSync(join(root, 'move.txt'), 0o755);
    file('delete.txt', 'gone\n');
    const { context, result } = await patch(
      '*** Add File: new/file.txt',
      '+one',
      '+',
      '*** Update File: update.txt',
      '@@',
      ' a',
      '-b',
      '+B',
      '*** Update File: move.txt',
      '*** Move to: moved/to.txt',
      '@@',
      '-x',
      '+y',
      '*** Delete File: delete.txt',
    );
    expect(context).toBe('Added new/file.txt\nUpdated update.txt\nMoved move.txt to moved/to.txt\nDeleted delete.txt');
    expect(result).toEqual({
      files: [
        { action: 'add', path: 'new/file.txt' },
        { action: 'update', path: 'update.txt' },
        { action: 'update', path: 'move.txt', moveTo: 'moved/to.txt' },
        { action: 'delete', path: 'delete.txt' },
      ],
    });
    expect(statSync(join(root, 'moved/to.txt')).mode & 0o777).toBe(0o755);
    expect(filesNow()).toEqual(['moved', 'moved/to.txt', 'new', 'new/file.txt', 'update.txt']);
    expect(['new/file.txt', 'update.txt', 'moved/to.txt'].map(textOf)).toEqual(['one\n\n', 'a\nB\nc\n', 'y\n']);
  });

  it('changes nothing when a hunk does not match, and names it', async () => {
    file('a.txt', 'a\nb\n');
    const failing = patch(
      '*** Add File: new/file.txt',
      '+one',
      '*** Update File: a.txt',
      '@@',
      '-a',
      '+A',
      '@@ b',
      ' nothing',
      '+x',
    );
    await expect(failing).rejects.toThrow('Hunk 2 of 2 for a.txt does not match after the line "b"');
    expect(filesNow()).toEqual(['a.txt']);
    expect(textOf('a.txt')).toBe('a\nb\n');
  });

  it.each([
    ['adds what exists', ['*** Add File: a.txt', '+x'], 'a.txt exists already'],
    ['moves onto what exists', ['*** Update File: b.txt', '*** Move to: a.txt'], 'a.txt exists already'],
    ['deletes what does not exist', ['*** Delete File: no.txt'], 'no.txt cannot be deleted'],
    ['updates what does not exist', ['*** Update File: no.txt', '@@', '+x'], '"no.txt" does not exist'],
    ['leaves the workspace', ['*** Add File: ../x.txt', '+x'], 'outside the workspace'],
    ['moves out of the workspace', ['*** Update File: b.txt', '*** Move to: ../x.txt'], 'outside the workspace'],
  ])('changes nothing when it %s', async (_, lines, problem) => {
    file('a.txt', 'a\n');
    file('b.txt', 'b\n');
    await expect(patch('*** Add File: folder/first.txt', '+x', ...lines)).rejects.toThrow(problem);
    expect(filesNow()).toEqual(['a.txt', 'b.txt']);
    expect(['a.txt', 'b.txt'].map(textOf)).toEqual(['a\n', 'b\n']);
  });

  it('counts its files as read by the run', async () => {
    await patch('*** Add File: a.txt', '+one');
    expect((await call('write', { path: 'a.txt', content: '' })).context).toBe('Replaced a.txt (0 bytes).');
  });
});

describe('list', () => {
  it('has folders first, each group by name', async () => {
    for (const path of ['b.txt', 'a.txt', 'z/x', 'c/x']) file(path, '');
    symlinkSync('a.txt', join(root, 'link'));
    expect(await call('list', {})).toEqual({
      context: 'c/\nz/\na.txt\nb.txt\nlink@',
      result: { path: '.', entries: 5, isComplete: true },
    });
    expect((await call('list', { path: 'z' })).context).toBe('x');
  });

  it('says when there is more, or nothing', async () => {
    for (const name of ['a', 'b', 'c']) file(name, '');
    expect((await call('list', { limit: 1 })).context).toBe('a\n[2 entries are not shown: set limit, or use glob.]');
    mkdirSync(join(root, 'empty'));
    expect((await call('list', { path: 'empty' })).context).toBe('The folder is empty.');
    await expect(call('list', { path: '..' })).rejects.toThrow('outside the workspace');
  });
});
