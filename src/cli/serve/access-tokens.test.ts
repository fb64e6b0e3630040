import { describe, expect, it } from 'vitest';
import { accessToken, tokensIn } from './access-tokens.ts';

describe('access tokens of the command line', () => {
  it.each([
    ['long-secret', { token: 'long-secret' }],
    ['ann=long-secret', { name: 'ann', token: 'long-secret' }],
    ['ann@example.com=a=b=c', { name: 'ann@example.com', token: 'a=b=c' }],
    ['c2VjcmV0LXRva2Vu==', { token: 'c2VjcmV0LXRva2Vu==' }],
    ['ann=c2VjcmV0LXRva2Vu==', { name: 'ann', token: 'c2VjcmV0LXRva2Vu==' }],
  ])('reads %s', (text, token) => {
    expect(accessToken(text)).toEqual(token);
  });

  it.each(['=secret-12', '-x=secret-12', 'a\nb=secret-12'])(
    'refuses the name in %j without printing the secret',
    text => {
      expect(() => accessToken(text)).toThrow(
        expect.objectContaining({
          code: 'invalid_argument',
          message: expect.not.stringContaining('secret-12') as string,
        }),
      );
    },
  );

  it('reads one token and several from the environment', () => {
    const env = { SINGLETREE_TOKEN: 'one-secret', SINGLETREE_TOKENS: 'ann=secret-of-ann, bob=secret-of-bob' };
    expect(tokensIn(env)).toEqual([
      { token: 'one-secret' },
      { name: 'ann', token: 'secret-of-ann' },
      { name: 'bob', token: 'secret-of-bob' },
    ]);
    expect(tokensIn({ SINGLETREE_TOKEN: '' })).toEqual([]);
  });
});
