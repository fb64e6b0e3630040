import { describe, expect, it } from 'vitest';
import { redactor } from './redact.ts';

describe('what a server was given in confidence', () => {
  it('is hidden when it came by the environment', () => {
    const hide = redactor({
      name: 's',
      command: 'x',
      env: { TOKEN: 'abcd-1234', LONGER: 'abcd-1234-more', LEVEL: '1' },
    });
    expect(hide('abcd-1234-more and abcd-1234 at level 1')).toBe('[hidden] and [hidden] at level 1');
  });

  it('is hidden when it came by headers, also the token alone', () => {
    const hide = redactor({ name: 's', url: 'https://a.example', headers: { authorization: 'Bearer t0ken' } });
    expect(hide('"Bearer t0ken" or t0ken')).toBe('"[hidden]" or [hidden]');
  });

  it('is hidden when it is part of the address', () => {
    const url = 'https://ann:p%40ss@a.example/mcp/0123456789abcdef?key=s3cret';
    const hide = redactor({ name: 's', url });
    expect(hide('p@ss, p%40ss, s3cret, 0123456789abcdef')).toBe('[hidden], [hidden], [hidden], [hidden]');
    expect(hide('https://a.example/mcp')).toBe('https://a.example/mcp');
  });
});
