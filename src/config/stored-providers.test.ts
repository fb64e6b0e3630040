import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { StoredProviders, withStoredKeys } from './stored-providers.ts';

let home: string;
let stored: StoredProviders;
const file = () => join(home, 'providers.json');
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'singletree-keys-'));
  stored = new StoredProviders(home);
});

describe('stored keys of providers', () => {
  it('are in a file that only its owner can read, and gone when they are removed', () => {
    stored.storeKey('OPENAI_API_KEY', 'sk-one');
    stored.storeServer('office', { baseURL: 'http://127.0.0.1:9/v1', key: 'sk-two' });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(stored.secrets()).toEqual(['sk-one', 'sk-two']);
    expect(stored.removeKey('OPENAI_API_KEY')).toBe(true);
    expect(stored.removeServer('office')).toBe(true);
    expect(stored.removeServer('office')).toBe(false);
    expect(readFileSync(file(), 'utf8')).not.toContain('sk-');
  });

  it('stand in for variables that are not set, and are used without a restart', () => {
    const env = withStoredKeys({ OPENAI_API_KEY: ' ', ANTHROPIC_API_KEY: 'sk-environment' }, stored);
    expect(env['OPENAI_API_KEY']).toBeUndefined();
    const other = new StoredProviders(home);
    other.storeKey('OPENAI_API_KEY', 'sk-stored');
    other.storeKey('ANTHROPIC_API_KEY', 'sk-stored');
    expect(env['OPENAI_API_KEY']).toBe('sk-stored');
    expect(env['ANTHROPIC_API_KEY']).toBe('sk-environment');
    expect(Object.keys(env)).toEqual([]);
    expect(env['constructor']).toBeUndefined();
  });

  it('are refused in a file that others can read, or that is damaged, without a word of its content', () => {
    stored.storeKey('OPENAI_API_KEY', 'sk-one');
    chmodSync(file(), 0o644);
    expect(() => stored.secrets()).toThrow(expect.objectContaining({ code: 'invalid_config' }));
    expect(() => stored.secrets()).toThrow(/can be read by others.*chmod 600/);
    chmodSync(file(), 0o600);
    writeFileSync(file(), '{ "keys": ["sk-one"], "sk-two": 1 }');
    expect(() => stored.secrets()).toThrow(/is damaged/);
    expect(() => stored.secrets()).not.toThrow(/sk-(one|two)/);
  });

  it('are reported when another process changes them, and nothing of a damaged file', async () => {
    const seen: (readonly string[])[] = [];
    const stop = stored.onChange(secrets => seen.push(secrets));
    new StoredProviders(home).storeKey('OPENAI_API_KEY', 'sk-one');
    await expect.poll(() => seen.at(-1)).toEqual(['sk-one']);
    writeFileSync(file(), 'damaged');
    rmSync(file());
    new StoredProviders(home).storeKey('OPENAI_API_KEY', 'sk-two');
    await expect.poll(() => seen.at(-1)).toEqual(['sk-two']);
    stop();
  });
});
