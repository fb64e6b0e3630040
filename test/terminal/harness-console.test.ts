import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type ChatScene, useChats } from './chat-scene.ts';

const program = fileURLToPath(new URL('../../build/examples/harness-console.js', import.meta.url));
const start = useChats();

/** The example in a terminal, with its threads in a file of the scene. */
const open = (): Promise<ChatScene> =>
  start([], {
    first: 'build ›',
    rows: 60,
    through: (_, { cwd }) => [process.execPath, program, join(cwd, 'console.db')],
  });

/** Sends a line, and waits for what the screen shows then. */
const say = (scene: ChatScene, line: string, expected: string | RegExp) => scene.act(`${line}\r`, expected);

describe('the console on the Harness', () => {
  it('asks for approvals, answers, data and plans, and runs a subagent', async () => {
    const scene = await open();
    await say(scene, 'hello', 'You said: hello');
    await say(scene, 'roll', 'May I use dice?');
    await say(scene, 'y', /"It shows 6\."\nDone\./);
    await say(scene, 'colour', '2 Blue');
    await say(scene, '2', /User answered: Blue\nDone\./);
    await say(scene, 'pay', 'pay waits for the code on your phone');
    await say(scene, '1234', /3 paid with the code 1234\."\nDone\./);
    await say(scene, 'look', /scout ends: Three files, nothing odd\.\n.*\nDone\./);
    await say(scene, '/mode plan', /mode: build → plan\n.*\nplan ›/);
    await say(scene, 'plan', 'Do you approve it?');
    await say(scene, 'y', /mode: plan → build\nbuild ›/);
    scene.type('/quit\r');
    await scene.ended();
    expect(scene.exitCode).toBe(0);
  });

  it('steers, queues, stops and switches threads', async () => {
    const scene = await open();
    await say(scene, 'count', 'one two');
    await say(scene, '/later roll', '1 waiting');
    await say(scene, 'and you', /six\nYou said: and you/);
    await scene.shows('May I use dice?');
    await say(scene, 'n not now', /not approved by the user"\nDone\./);
    await say(scene, '/new second', 'thread: second');
    await say(scene, 'count on', /one two$/m);
    await scene.act('\u0003', '(aborted)');
    await say(scene, '/threads', '* 1 second');
    await say(scene, '/open 2', /thread: untitled\n(.*\n)*.*assistant: tool_call tool_result Done\./);
    await say(scene, '/nope', 'Unknown command /nope');
  });

  it('goes on after it ended, with what was asked and what waits', async () => {
    const scene = await open();
    await say(scene, 'roll', 'May I use dice?');
    await say(scene, '/later hello', 'later: hello');
    process.kill(scene.pid, 'SIGKILL');
    await scene.ended();
    scene.launch([]);
    await scene.shows('May I use dice?');
    await say(scene, 'a', /"It shows 6\."\nDone\./);
    await scene.shows('You said: hello');
    await say(scene, 'roll', /"It shows 6\."\nDone\.(.*\n)*.*"It shows 6\."\nDone\./);
  });
});
