import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ansiOfLine, fileTarget, linked, pageTarget, span, textOfLine } from './styled-line.ts';
import { createStyling } from './terminal-styling.ts';
import { cutLine, wrapLine } from './wrap-line.ts';

const styling = { inks: 'colour', hasLinks: true } as const;

describe('links', () => {
  it('are written only where terminals are known to show them', () => {
    const has = (env: Record<string, string>) => createStyling({ TERM: 'xterm-256color', ...env }).hasLinks;
    expect(has({})).toBe(false);
    expect(has({ TERM_PROGRAM: 'WezTerm' })).toBe(true);
    expect(has({ VTE_VERSION: '7200' })).toBe(true);
    expect(has({ VTE_VERSION: '4600' })).toBe(false);
    expect(has({ TERM_PROGRAM: 'WezTerm', TMUX: '/tmp/tmux-0/default,1,0' })).toBe(false);
    expect(has({ FORCE_HYPERLINK: '1', TMUX: 'x' })).toBe(true);
    expect(has({ FORCE_HYPERLINK: '0', TERM_PROGRAM: 'WezTerm' })).toBe(false);
    expect(has({ FORCE_HYPERLINK: '1', TERM: 'dumb' })).toBe(false);
  });

  it('surround their text and nothing else', () => {
    const line = [span('see '), linked(span('docs', 'bold'), 'https://example.org/')];
    expect(ansiOfLine(line, styling)).toBe(
      'see \u001b]8;;https://example.org/\u001b\\\u001b[1mdocs\u001b[0m\u001b]8;;\u001b\\',
    );
    expect(ansiOfLine(line, { ...styling, hasLinks: false })).toBe('see \u001b[1mdocs\u001b[0m');
    expect(wrapLine([linked(span('abcdef'), 'https://x.org/')], 4).flat()).toEqual([
      { text: 'abcd', link: 'https://x.org/' },
      { text: 'ef', link: 'https://x.org/' },
    ]);
    expect(textOfLine(cutLine(line, 6))).toBe('see d…');
  });

  it('lead to pages and files only', () => {
    expect(pageTarget('https://example.org/a b?q=ü')).toBe('https://example.org/a%20b?q=%C3%BC');
    for (const address of ['javascript:alert(1)', 'file:///etc/passwd', 'https://', 'mailto:a@b.c', 'x'.repeat(600)])
      expect(pageTarget(address)).toBeUndefined();
    expect(fileTarget('/project', 'src/a b.ts')).toBe('file:///project/src/a%20b.ts');
  });

  it('have only printable characters, whatever the text of an agent is', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('a', '/', '\u001b', '\\', '\u0007', '\u009c', ';', '\n', 'ü', ' '),
    });
    fc.assert(
      fc.property(hostile, text => {
        for (const target of [pageTarget(`https://a.b/${text}`), fileTarget('/p', text)])
          if (target !== undefined) expect(target).toMatch(/^[\u0021-\u007e]+$/);
      }),
    );
  });
});
