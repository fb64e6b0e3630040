import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtCommand } from './support/command.ts';

const { home, singletree } = builtCommand();

describe('the command', () => {
  it('prints its version and its help', () => {
    expect(singletree('--version')).toEqual({ status: 0, stdout: '0.1.0\n', stderr: '' });
    expect(singletree('--help').stdout).toContain('serve');
  });

  it.each([
    [['--bogus'], "unknown option '--bogus'"],
    [['serve', '--port', 'http'], 'expected a number from 0 to 65535'],
    [['serve', '--cors', '*'], 'expected an exact origin'],
    [['serve', 'extra'], "too many arguments for 'serve'"],
    [['serve', '--cwd', '/nope'], "option '--cwd <folder>' argument '/nope' is invalid. Expected a folder that exists"],
    [['serve', '--files', '/nope'], "option '--files <folder>' argument '/nope' is invalid. Expected a folder that"],
    [['bogus'], "unknown command 'bogus'"],
    [['bogus', '--output', 'x'], "unknown command 'bogus'"],
    [['help', 'bogus'], "unknown command 'bogus'"],
    [['bogus', '--help'], "unknown command 'bogus'"],
  ])('answers %j with exit code 2 and what was wrong', (args, message) => {
    const { status, stderr, stdout } = singletree(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('names the commands there are, and the one that was meant', () => {
    const { stderr } = singletree('transalte');
    expect(stderr).toContain('Did you mean translate?');
    expect(stderr).toMatch(/The commands are serve, run, .*: see singletree --help/);
  });

  it('serves when no command is named, and points to the help of what it does', () => {
    expect(singletree('--port', 'http').stderr).toContain('see singletree serve --help');
    expect(singletree('--port', '0', '--help').stdout).toContain('Usage: singletree serve');
    expect(singletree('help', 'run')).toEqual(singletree('run', '--help'));
    expect(singletree('help')).toEqual(singletree('--help'));
  });

  it.each(['serve', 'run'])('shows no empty defaults in the help of %s', name => {
    expect(singletree(name, '--help').stdout).not.toMatch(/default: [[{]/);
  });

  it('shows a run without a server, and keeps it', () => {
    const { status, stdout } = singletree('demo');
    expect(status).toBe(0);
    expect(stdout).toContain('17 nodes');
    expect(stdout).toContain("\nI'll list the files first.\n");
    expect(stdout).toContain('    harness_start reader');
  });

  it('fails with exit code 1 and a plain sentence when the log is no log', () => {
    const file = join(home, 'letter.txt');
    writeFileSync(file, 'Dear log, '.repeat(1000));
    const { status, stderr } = singletree('serve', '--no-open', '--db', file);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^singletree: .*letter\.txt .*nothing was changed.* \(log_corrupt\)\n$/);
  });

  it('says so when the port is taken', async () => {
    const other = createServer();
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { status, stderr } = singletree('serve', '--no-open', '--port', String(port));
    other.close();
    expect([status, stderr]).toEqual([1, expect.stringContaining(`Port ${port} on 127.0.0.1 is taken`) as string]);
  });
});
