import { describe, expect, it } from 'vitest';
import { storeUrls } from './store-options.ts';

const env = (values: Record<string, string> = {}) => ({ SINGLETREE_HOME: '/home', ...values });
const redis = 'redis://cache';
const database = 'postgres://db/log';

describe('the store of a command', () => {
  it('is a file in the data folder by default', () => {
    expect(storeUrls({}, env())).toEqual({ store: 'file:/home/singletree.db' });
  });

  it('is the file of --db', () => {
    expect(storeUrls({ db: 'a b.db' }, env({ SINGLETREE_STORE: database, SINGLETREE_LIVE: redis }))).toEqual({
      store: 'file:a b.db',
    });
  });

  it('is what the environment names', () => {
    expect(storeUrls({}, env({ SINGLETREE_STORE: database, SINGLETREE_LIVE: redis }))).toEqual({
      store: database,
      live: redis,
    });
    expect(storeUrls({}, env({ SINGLETREE_STORE: '', SINGLETREE_LIVE: '' })).store).toBe('file:/home/singletree.db');
  });

  it('is what the options name before the environment', () => {
    const given = { store: 'postgres://other/log', live: 'redis://other' };
    expect(storeUrls(given, env({ SINGLETREE_STORE: database, SINGLETREE_LIVE: redis }))).toEqual(given);
  });
});
