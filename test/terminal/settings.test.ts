import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoredRules } from '../../src/config/stored-rules.ts';
import { useChats } from './chat-scene.ts';

const start = useChats();
const key = 'sk-entered-0123456789';

/** Everything that the chat stored beside the keys. */
function storedTexts(home: string): string {
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).map(name => join(home, name));
  const others = files.filter(file => !file.endsWith('providers.json') && statSync(file).isFile());
  return others.map(file => readFileSync(file, 'latin1')).join('\n');
}

describe('the settings of a chat', () => {
  it('takes the key of a provider with /key, tests it, shows it nowhere, and removes it', async () => {
    const scene = await start(() => 'ok');
    await scene.say('/key openai');
    await scene.shows('Key of OpenAI (hidden)');
    scene.type(`${key}\r`);
    await scene.shows('Stored the key of OpenAI: it works');
    const file = join(scene.home, 'providers.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(key);
    expect(scene.bytes).not.toContain(key);
    expect(storedTexts(scene.home)).not.toContain(key);
    await scene.say('/key openai');
    await scene.shows('an empty one removes the stored key');
    scene.type('\r');
    await scene.shows('Removed the stored key of OpenAI.');
    expect(readFileSync(file, 'utf8')).not.toContain(key);
  });

  it('lists every rule with its source with /rules, and revokes one that was saved for all conversations', async () => {
    const scene = await start(() => 'ok');
    const { id } = new StoredRules(scene.home).add({ tool: 'bash', command: 'npm test', policy: 'allow' });
    await scene.say('/rules');
    await scene.shows('allow npm test, tool bash · saved for all conversations');
    await scene.shows('ask   every other call · built in');
    await scene.say(`/rules ${id}`);
    await scene.shows('Revoked: the next call is asked about again.');
    expect(existsSync(join(scene.home, 'rules.json'))).toBe(true);
    expect(new StoredRules(scene.home).list()).toEqual([]);
  });
});
