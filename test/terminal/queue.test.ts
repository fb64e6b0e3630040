import { describe, expect, it, vi } from 'vitest';
import type { ScriptedTurn } from '../../src/agents/model/scripted/script.ts';
import type { ScriptedRequest } from '../../src/agents/model/scripted/scripted-request.ts';
import { useChats } from './chat-scene.ts';

const start = useChats();

function answer({ lastUserText: asked }: ScriptedRequest): ScriptedTurn {
  return asked.includes('think a while') ? { text: 'slow '.repeat(80), delayMs: 30 } : `Answer to ${asked}`;
}

describe('a queued message', () => {
  it('is sent to the thread in which it was written, also when another one is shown', async () => {
    const scene = await start(answer);
    await scene.say('think a while');
    await scene.shows('slow slow');
    await scene.act('queued here\t', '1. queued here');
    await scene.act('/new\r', 'New thread.');
    await scene.shows(screen => screen.includes('1 in background') && !screen.includes('1. queued here'));
    await scene.say('another matter');
    await scene.shows('Answer to another matter');
    const asked = () => scene.server.requests.map(({ seen }) => JSON.stringify(seen?.messages));
    await vi.waitFor(() => expect(asked().some(text => text.includes('queued here'))).toBe(true), 20_000);
    expect(asked().filter(text => text.includes('queued here') && text.includes('another matter'))).toEqual([]);
    await scene.act('/threads while\r', /› think a while +just now/);
    await scene.act('\r', 'Answer to queued here');
  });
});
