import { describe, expect, it } from 'vitest';
import { redactor } from './failure.ts';

describe('the secrets of a server', () => {
  it('are hidden when they come from the environment', () => {
    const hide = redactor({
      name: 's',
      command: 'x',
      env: { TOKEN: 'abcd-1234', LONGER: 'abcd-1234-more', LEVEL: '1' },
    });
    expect(hide('abcd-1234-more and abcd-1234 at level 1')).toBe('[hidden] and [hidden] at level 1');
  });

  it('are hidden when they come from headers, also the token alone', () => {
    const hide = redactor({ name: 's', url: 'https://a.example', headers: { authorization: 'Bearer t0ken' } });
    expect(hide('"Bearer t0ken" or t0ken')).toBe('"[hidden]" or [hidden]');
  });

  it('are hidden when they are part of the address', () => {
    const url = 'https://ann:p%40ss@a.example/mcp/0123456789abcdef?key=s3cret';
    const hide = redactor({ name: 's', url });
    expect(hide('p@ss, p%40ss, s3cret, 0123456789abcdef')).toBe('[hidden], [hidden], [hidden], [hidden]');
    expect(hide('https://a.example/mcp')).toBe('https://a.example/mcp');
  });
});
