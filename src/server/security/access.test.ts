import { describe, expect, it } from 'vitest';
import { Access, cookieName } from './access.ts';
import { AttemptLimit } from './attempt-limit.ts';
import { allRights } from './caller.ts';

const shown = (authorization?: string, cookie?: string, address = '10.0.0.1') => ({ authorization, cookie, address });

const everything = { resourceId: null, rights: allRights };

describe('access', () => {
  const access = () => new Access([{ token: 'all-of-it' }, { token: 'only-mine', resourceId: 'mine' }]);

  it('is open when there are no tokens', () => {
    expect(new Access([]).admit(shown())).toEqual(everything);
  });

  it('takes no token that is easily guessed', () => {
    for (const token of ['', 'abc', '1234567'])
      expect(() => new Access([{ token }])).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });

  it('refuses one token for two names', () => {
    const tokens = ['ann', 'bob'].map(name => ({ name, token: 'the-same-one' }));
    expect(() => new Access(tokens)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });

  it('returns the name of a token', () => {
    const named = new Access([{ token: 'all-of-it', name: 'ann' }]);
    expect(named.admit(shown('Bearer all-of-it'))).toEqual({ ...everything, name: 'ann' });
  });

  it('returns what each token opens, in a header or in a cookie', () => {
    const door = access();
    expect(door.admit(shown('Bearer all-of-it'))).toEqual(everything);
    expect(door.admit(shown('bearer only-mine'))).toEqual({ ...everything, resourceId: 'mine' });
    const cookie = door.signIn('only-mine', 'a');
    expect(cookie).not.toContain('only-mine');
    expect(door.admit(shown(undefined, `other=1; ${cookieName}=${cookie}`))).toEqual({
      ...everything,
      resourceId: 'mine',
    });
  });

  it('signs in once with a key that stands for a token', () => {
    const door = access();
    const key = door.createKey('only-mine');
    expect(key).not.toContain('only-mine');
    expect(door.signIn(key, 'a')).toBe(door.signIn('only-mine', 'a'));
    expect(() => door.signIn(key, 'a')).toThrow(expect.objectContaining({ code: 'unauthorized' }));
    expect(() => door.admit(shown(`Bearer ${door.createKey('only-mine')}`))).toThrow();
  });

  it.each([
    ['nothing', shown()],
    ['a wrong token', shown('Bearer all-of-i')],
    ['another scheme', shown('Basic all-of-it')],
    ['the token as a cookie', shown(undefined, `${cookieName}=all-of-it`)],
    ['the cookie as a token', shown(`Bearer ${access().signIn('all-of-it', 'a')}`)],
    ['a wrong cookie', shown(undefined, `${cookieName}=x`)],
  ])('refuses %s', (_, credentials) => {
    expect(() => access().admit(credentials)).toThrow(
      expect.objectContaining({ code: 'unauthorized', headers: { 'www-authenticate': expect.any(String) } }),
    );
  });

  it('makes an address wait that shows too many wrong tokens, and no other address', () => {
    let now = 0;
    const door = new Access([{ token: 'right-one' }], { most: 3, windowMs: 60_000, now: () => now });
    for (let count = 0; count < 3; count++)
      expect(() => door.admit(shown('Bearer wrong'))).toThrow(expect.objectContaining({ code: 'unauthorized' }));
    now = 1000;
    expect(() => door.admit(shown('Bearer wrong'))).toThrow(
      expect.objectContaining({ code: 'too_many_attempts', headers: { 'retry-after': '59' } }),
    );
    expect(() => door.signIn('wrong', '10.0.0.1')).toThrow(expect.objectContaining({ code: 'too_many_attempts' }));
    expect(() => door.admit(shown('Bearer wrong', undefined, '10.0.0.2'))).toThrow(
      expect.objectContaining({ code: 'unauthorized' }),
    );
    expect(door.failures).toBe(4);
    now = 61_000;
    expect(() => door.admit(shown('Bearer wrong'))).toThrow(expect.objectContaining({ code: 'unauthorized' }));
  });

  it('lets a right token or cookie in from an address that has to wait, and makes it wait no less for wrong ones', () => {
    const door = new Access([{ token: 'right-one' }], { most: 1, now: () => 0 });
    const cookie = door.signIn('right-one', 'a');
    const wrong = () => door.admit(shown('Bearer wrong'));
    expect(wrong).toThrow(expect.objectContaining({ code: 'unauthorized' }));
    expect(door.admit(shown('Bearer right-one'))).toEqual(everything);
    expect(door.admit(shown(undefined, `${cookieName}=${cookie}`))).toEqual(everything);
    expect(door.signIn('right-one', '10.0.0.1')).toBe(cookie);
    expect(wrong).toThrow(expect.objectContaining({ code: 'too_many_attempts' }));
  });
});

describe('the limit of attempts', () => {
  it('remembers so many addresses and no more', () => {
    const limit = new AttemptLimit({ most: 1, addresses: 2, now: () => 0 });
    for (const address of ['a', 'b', 'c']) limit.fail(address);
    expect(['a', 'b', 'c'].map(address => limit.secondsToWait(address))).toEqual([0, 60, 60]);
  });

  it('takes the addresses of one IPv6 network together', () => {
    const limit = new AttemptLimit({ most: 1, now: () => 0 });
    limit.fail('2001:db8:1:2::1');
    expect(limit.secondsToWait('2001:db8:1:2:ffff::9')).toBe(60);
    expect(limit.secondsToWait('2001:db8:1:3::1')).toBe(0);
  });

  it.each([
    ['2001:db8::1', '2001:db8:0:0:ffff::9', true],
    ['2001:db8::1', '2001:0DB8:0000:0::2', true],
    ['2001:db8::1', '2001:db8:0:1::1', false],
    ['2001::1', '2001::ffff:1:2:3', true],
    ['::1', '0:0:0:0:1::', true],
    ['::1', '1::1', false],
    ['1:2:3:4:5:6:7:8', '1:2:3:4::', true],
    ['fe80::1%eth0', 'fe80::2%eth1', true],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['::ffff:a00:1', '10.0.0.1', true],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
    ['10.0.0.1', '10.0.0.2', false],
  ])('counts %s and %s together: %s', (one, other, isTogether) => {
    const limit = new AttemptLimit({ most: 1, now: () => 0 });
    limit.fail(one);
    expect(limit.secondsToWait(other)).toBe(isTogether ? 60 : 0);
  });
});
