import { describe, expect, it } from 'vitest';
import { checkLiveUrl, parseStoreUrl, listPasswords, visibleUrl } from './store-url.ts';

describe('the URL of a store', () => {
  it.each([
    ['memory:', { kind: 'memory' }],
    ['file:./data.db', { kind: 'file', path: './data.db' }],
    ['file:/var/data 1%.db', { kind: 'file', path: '/var/data 1%.db' }],
    ['file:///var/data%201.db', { kind: 'file', path: '/var/data 1.db' }],
    ['postgres://a:b@db/c', { kind: 'postgres', url: 'postgres://a:b@db/c' }],
    ['postgresql://db', { kind: 'postgres', url: 'postgresql://db' }],
  ])('names a store as %s', (url, location) => {
    expect(parseStoreUrl(url)).toEqual(location);
  });

  it.each([
    'file:',
    'file://host/x',
    'data.db',
    'mysql://ann:hunter22@db',
    'redis://ann:hunter22@db',
    'postgres:/x',
    'postgres://ann:hun/ter22@db/x',
    'postgres://ann:1/hunter22@db/x',
    'hunter22',
  ])('is refused as %s, without its password in the error', url => {
    const message = expect.not.stringMatching(/hunter22|ter22/) as string;
    expect(() => parseStoreUrl(url)).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
  });
});

describe('the URL of a live tail', () => {
  it.each(['redis://127.0.0.1:6379', 'rediss://ann:hunter22@db:6380/1'])('names Redis as %s', url => {
    expect(() => checkLiveUrl(url)).not.toThrow();
  });

  it.each(['postgres://ann:hunter22@db', 'redis:6379', '6379'])('is refused as %s', url => {
    const message = expect.not.stringContaining('hunter22') as string;
    expect(() => checkLiveUrl(url)).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
  });
});

describe('a URL that is printed', () => {
  it.each([
    ['postgres://ann:hunter22@db:5432/log?sslmode=require', 'postgres://ann:***@db:5432/log?sslmode=require'],
    ['postgres://db/log?user=ann&password=hunter22', 'postgres://db/log?user=ann&password=***'],
    ['postgres://ann:hun@ter22@db/log', 'postgres://ann:***@db/log'],
    ['postgres://ann:hun/ter22@db/log', 'postgres:…'],
    ['file:/a/b.db', 'file:/a/b.db'],
    ['nonsense', '…'],
  ])('shows %s as %s', (url, visible) => {
    expect(visibleUrl(url)).toBe(visible);
  });
});

describe('the password of a URL', () => {
  it.each([
    ['postgres://ann:p%40ss@db/log', ['p%40ss', 'p@ss']],
    ['redis://:hunter22@cache', ['hunter22']],
    ['postgres://db/log?password=hunter22', ['hunter22']],
    ['postgres://db/log', []],
    ['file:a.db', []],
  ])('is found in %s', (url, passwords) => {
    expect(listPasswords(url)).toEqual(passwords);
  });
});
