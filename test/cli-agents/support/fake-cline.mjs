#!/usr/bin/env node
/** A program that is started like Cline: it says its prompt, and leaves a daemon behind unless told to stay local. */
import { spawn } from 'node:child_process';
import { fstatSync, readFileSync, writeSync } from 'node:fs';

const event = value => writeSync(1, `${JSON.stringify({ type: 'agent_event', event: value })}\n`);
const say = text => event({ type: 'content_end', contentType: 'text', text });
const input = fstatSync(0).isFile() ? readFileSync(0, 'utf8') : '';

event({ type: 'iteration_start', iteration: 1 });
say(JSON.stringify(`${process.argv.at(-1)}${input}`.trim()));
if (process.env.CLINE_SESSION_BACKEND_MODE !== 'local') {
  const daemon = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', '--cline-hub-daemon'], {
    detached: true,
    stdio: 'ignore',
  });
  daemon.unref();
  say(`daemon ${daemon.pid}`);
}
writeSync(1, `${JSON.stringify({ type: 'run_result', finishReason: 'completed' })}\n`);
