import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createClient } from '../src/client/index.ts';
import { bareEnvironment } from './support/bare-environment.ts';
import { HookReceiver } from './support/hook-receiver.ts';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'singletree-webhooks-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Starts the built command in a folder with a webhook in the person's own configuration. */
function startServe(host: string, env: Record<string, string> = {}) {
  const webhook = { name: 'test', url: `http://${host}/hook`, secret: { env: 'HOOK_SECRET' }, allowHosts: [host] };
  writeFileSync(
    join(home, 'singletree.config.json'),
    JSON.stringify({ server: { webhooks: [{ ...webhook, types: ['user'] }] } }),
  );
  const args = [command, 'serve', '--json', '--no-open', '--no-token', '--port', '0'];
  return spawn(process.execPath, args, { cwd: home, env: { ...bareEnvironment(), SINGLETREE_HOME: home, ...env } });
}

describe('a webhook in the configuration', () => {
  it('gets the events of the threads of `serve`, signed with the secret of its variable', async () => {
    const receiver = await new HookReceiver().listen();
    const child = startServe(receiver.host, { HOOK_SECRET: receiver.secret });
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const { url } = JSON.parse(String(line)) as { url: string };
      const client = createClient({ baseUrl: url });
      // Only what is stored after a webhook began is sent: the first message may be too early.
      await expect
        .poll(
          async () => {
            const { id } = await client.createThread({});
            await client.sendMessage(id, { content: 'Hello', agent: 'demo' });
            return receiver.accepted.length;
          },
          { timeout: 20_000, interval: 500 },
        )
        .toBeGreaterThan(0);
      expect(receiver.accepted[0]?.event).toMatchObject({ type: 'user', content: 'Hello' });
    } finally {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await receiver.die();
    }
  });

  it('whose secret is in a variable that is not set is refused', async () => {
    const child = startServe('127.0.0.1:9');
    let printed = '';
    child.stderr.on('data', (chunk: Buffer) => (printed += String(chunk)));
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).not.toBe(0);
    expect(printed).toContain('The secret of the webhook "test" is in {"env":"HOOK_SECRET"}, which is not set.');
  });
});
