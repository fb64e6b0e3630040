import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../events/vocabulary.ts';
import { suggestRule } from './suggest-rule.ts';

const asked = (command: string, tool = 'shell') =>
  ({
    type: 'relay',
    runId: 'r',
    id: 'q',
    relayKind: 'permission',
    toolCallId: 'c',
    tool,
    params: { command },
  }) as EventOf<'relay'>;
const decided = (command: string, ...outcomes: string[]) =>
  outcomes.map(outcome => ({ relay: asked(command), outcome }));

describe('a rule that is suggested', () => {
  it('allows exactly the command that was approved again and again', () => {
    const before = [...decided('npm test', ...Array<string>(9).fill('approve')), ...decided('npm run x', 'approve')];
    expect(suggestRule(asked('npm test'), before)).toEqual({
      count: 9,
      sentence: 'You approved this command nine times.',
      effect: 'shell may run exactly “npm test” without asking',
      rule: { tool: 'shell', command: 'npm test', policy: 'allow' },
    });
  });

  it.each([
    ['approved twice', 'npm test', decided('npm test', 'approve', 'approve')],
    ['rejected since', 'npm test', decided('npm test', 'approve', 'reject', 'approve', 'approve', 'approve')],
    [
      'another tool',
      'npm test',
      decided('npm test', 'approve', 'approve', 'approve').map(each => ({ ...each, relay: asked('npm test', 'bash') })),
    ],
    ['what cannot be undone', 'rm -rf dist', decided('rm -rf dist', 'approve', 'approve', 'approve')],
    ['a pattern', 'ls *', decided('ls *', 'approve', 'approve', 'approve')],
  ])('is not for %s', (_, command, before) => expect(suggestRule(asked(command), before)).toBeUndefined());
});
