import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type CallOptions, callTool } from '../../../../test/support/call-tool.ts';
import { workspace } from '../../workspace/workspace-folder.ts';
import { workspaceTools } from '../workspace-tools.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'singletree-bash-')));
const tools = workspaceTools(workspace(root, { env: { GIVEN: 'yes' } }));

afterAll(() => rmSync(root, { recursive: true, force: true }));

const bash = (command: string, more: object = {}, options?: CallOptions) =>
  callTool(tools, ['bash', { command, ...more }], options);

describe('bash', () => {
  it('returns what a command prints, on both streams', async () => {
    expect(await bash('echo out; echo $GIVEN >&2')).toMatchObject({
      context: expect.stringMatching(/^(out\nyes|yes\nout)$/),
      result: { exitCode: 0, outputBytes: 8, leftOutBytes: 0 },
    });
  });

  it('reports the exit code when it is not 0, or when nothing was printed', async () => {
    expect(await bash('echo no; exit 3')).toEqual({
      context: 'no\n[exit code 3]',
      result: { exitCode: 3, outputBytes: 3, leftOutBytes: 0 },
    });
    expect((await bash('true')).context).toBe('[exit code 0]');
    expect(await bash('kill -KILL $$')).toMatchObject({
      context: '[exit code 137, ended by SIGKILL]',
      result: { exitCode: 137, signal: 'SIGKILL' },
    });
  });

  it('has bash, no input and no terminal', async () => {
    expect((await bash('[[ -t 0 ]] || read line || echo "no input for ${BASH_VERSION:+bash}"')).context).toBe(
      'no input for bash',
    );
  });

  it('runs in a folder of the workspace and in no other', async () => {
    mkdirSync(join(root, 'sub'), { recursive: true });
    expect((await bash('pwd')).context).toBe(root);
    expect((await bash('pwd', { workdir: 'sub' })).context).toBe(`${root}/sub`);
    expect((await bash('pwd', { workdir: `${root}/sub` })).context).toBe(`${root}/sub`);
    await expect(bash('pwd', { workdir: '..' })).rejects.toThrow('outside the workspace');
    await expect(bash('pwd', { workdir: 'no' })).rejects.toThrow('does not exist');
  });

  it('keeps the beginning and the end of long output', async () => {
    const { context, result } = await bash('echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo last');
    expect(result).toEqual({ exitCode: 0, outputBytes: 50_000_012, leftOutBytes: 50_000_012 - 24_000 });
    expect(context).toMatch(/^first\nx+\n\[… 49976012 bytes omitted …\]\nx+\nlast$/);
  });

  it('stops a command at its time limit, and returns its output so far', async () => {
    expect(await bash('echo begun; sleep 1000', { timeout: 1_500 })).toEqual({
      context: 'begun\n[stopped after 1500 ms]',
      result: { exitCode: 124, signal: 'SIGINT', timedOut: true, outputBytes: 6, leftOutBytes: 0 },
    });
    await expect(bash('true', { timeout: 600_001 })).rejects.toThrow('timeout');
  });

  it('is stopped when it is aborted', async () => {
    const abort = new AbortController();
    const progress = () => abort.abort(new Error('enough'));
    await expect(bash('echo begun; sleep 1000', {}, { signal: abort.signal, progress })).rejects.toThrow('enough');
  });

  it('reports what it prints by stream while it runs, at a limited rate and without the beginning of much output', async () => {
    const reports: { stream: string; output: string }[] = [];
    const progress = (content: unknown) => {
      reports.push(content as { stream: string; output: string });
      writeFileSync(join(root, `seen-${reports.length}`), '');
    };
    const command =
      'for i in $(seq 2000); do echo line $i; done; until [ -e seen-1 ]; do sleep 0.01; done; echo end; until [ -e seen-2 ]; do sleep 0.01; done; echo oops >&2';
    const started = performance.now();
    await bash(command, {}, { progress });
    expect(reports.length).toBeLessThanOrEqual((performance.now() - started) / 250 + 2);
    for (const { output } of reports) expect(output.length).toBeLessThanOrEqual(1_000);
    expect(reports[0]?.output).toMatch(/line 2000\n$/);
    expect(reports.slice(-2)).toEqual([
      { stream: 'stdout', output: 'end\n' },
      { stream: 'stderr', output: 'oops\n' },
    ]);
  });
});
