import { describe, expect, it } from 'vitest';
import { masked } from './masked.ts';

describe('a value as it is shown', () => {
  it.each<[string, unknown, unknown]>([
    ['server.tokens.0', { name: 'ann', token: 'secret-token' }, { name: 'ann', token: '***' }],
    ['server.tokens.0', { token: { env: 'TEAM_TOKEN' } }, { token: { env: 'TEAM_TOKEN' } }],
    ['store', 'postgres://me:pass@db/x', 'postgres://me:***@db/x'],
    ['live', 'redis://:pass@host', 'redis://:***@host'],
    ['mcpServers.a', { command: 'x', env: { API_KEY: 'k' } }, { command: 'x', env: { API_KEY: '***' } }],
    [
      'mcpServers.b',
      { url: 'https://u:p@host/', headers: { 'X-Any': 'k' } },
      { url: 'https://u:***@host/', headers: { 'X-Any': '***' } },
    ],
    ['env.set.PLAIN', 'k', '***'],
    ['defaultModel', 'a/b', 'a/b'],
    ['agents.0', { id: 'translator', invoke: () => {} }, 'translator'],
  ])('masks what is secret: %s %j', (path, value, shown) => {
    expect(masked({ path, value })).toEqual(shown);
  });
});
