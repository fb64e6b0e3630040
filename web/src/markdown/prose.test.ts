import { describe, expect, it } from 'vitest';
import { parseProse, parseSpans } from './prose.ts';

const text = (content: string) => ({ kind: 'text', text: content });

describe('Markdown', () => {
  it('has paragraphs, headings, lists, quotes and rules', () => {
    const blocks = parseProse('# Title\nOne\ntwo\n\nThree\n\n- a\n- b\n  more\n\n3. c\n4. d\n\n> said\n\n---');
    expect(blocks).toEqual([
      { kind: 'heading', level: 1, spans: [text('Title')] },
      { kind: 'paragraph', lines: [[text('One')], [text('two')]] },
      { kind: 'paragraph', lines: [[text('Three')]] },
      { kind: 'list', ordered: false, start: 1, items: [[text('a')], [text('b'), text(' '), text('more')]] },
      { kind: 'list', ordered: true, start: 3, items: [[text('c')], [text('d')]] },
      { kind: 'quote', lines: [[text('said')]] },
      { kind: 'rule' },
    ]);
  });

  it('has code blocks, also one that is not closed yet', () => {
    expect(parseProse('```ts\nlet a = `x`;\n# no heading\n```\nafter')).toEqual([
      { kind: 'code', language: 'ts', text: 'let a = `x`;\n# no heading' },
      { kind: 'paragraph', lines: [[text('after')]] },
    ]);
    expect(parseProse('```\nhalf')).toEqual([{ kind: 'code', language: '', text: 'half' }]);
  });

  it('has code, emphasis and links within a line', () => {
    expect(parseSpans('run `ls *` **now** or *later*: [docs](https://a.b/c) https://d.e/f.')).toEqual([
      text('run '),
      { kind: 'code', text: 'ls *' },
      text(' '),
      { kind: 'strong', text: 'now' },
      text(' or '),
      { kind: 'em', text: 'later' },
      text(': '),
      { kind: 'link', text: 'docs', href: 'https://a.b/c' },
      text(' '),
      { kind: 'link', text: 'https://d.e/f', href: 'https://d.e/f' },
      text('.'),
    ]);
  });

  it('leaves HTML, and links that lead elsewhere, as text', () => {
    const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';
    expect(parseSpans(hostile)).toEqual([text(hostile)]);
  });

  it('keeps stars that are not emphasis', () => {
    expect(parseSpans('2 * 3 * 4 and a*b*c')).toEqual([text('2 * 3 * 4 and a*b*c')]);
  });
});
