import * as fc from 'fast-check';
import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { describe, expect, it } from 'vitest';
import { parseWord } from './parse-word.ts';
import { readStrictly } from './strict-line.ts';

const fragments = (
  'ls¦cat¦x¦-l¦é¦a=b¦~¦~/x¦*¦a?¦[a]¦{a,b}¦$X¦${X}¦"$X"¦\'¦"¦\\¦#¦\'a b\'¦"a b"¦\'a;b\'¦"a\\"b"¦"$(ls)"¦$(ls x)¦$(¦' +
  ')¦(¦{ ¦; }¦}¦!¦[¦]¦$¦^¦;¦&&¦||¦|¦&¦\n¦\\\n¦2>&1¦2>/dev/null¦> f¦<¦&>/dev/null¦# x¦if¦time¦=x'
).split('¦');
const line = fc
  .array(fc.tuple(fc.constantFrom(...fragments), fc.constantFrom(' ', ' ', ' ', '')), { maxLength: 12 })
  .map(parts => parts.flat().join(''));

function commandsOfParser(text: string): string[] {
  const found: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command' && node.name !== undefined)
      found.push(JSON.stringify([node.name, ...node.args].map(argument => parseWord(argument).value)));
    forEachChild(node, visit);
  };
  visit(parse(text));
  return found.toSorted();
}

describe('the strict reader', () => {
  it('finds the words that a full parser finds, wherever it understands a line', () => {
    let understood = 0;
    fc.assert(
      fc.property(line, text => {
        const commands = readStrictly(text)?.commands.filter(({ words }) => words.length > 0);
        if (commands === undefined) return;
        understood += 1;
        const found = commands.map(({ words }) => JSON.stringify(words.map(word => word.value)));
        expect(found.toSorted()).toEqual(commandsOfParser(text));
      }),
      { numRuns: 3000 },
    );
    expect(understood).toBeGreaterThan(300);
  });
});
