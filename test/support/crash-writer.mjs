/**
 * Appends to a log until it is killed: `node crash-writer.mjs <file> <name> <seed>`. Every event carries the name and
 * a number, 1, 2, 3 …; a line `<seq> <number>` is printed when the log has acknowledged both.
 */
import { writeSync } from 'node:fs';
import { SqliteLog, ThreadWriter } from '../../dist/log/index.js';

const [path, name, seed] = process.argv.slice(2);
let state = Number(seed);
const random = below => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

const log = new SqliteLog(path);
if ((await log.getThread('thread')) === undefined) await log.createThread({ id: 'thread' });
const writer = new ThreadWriter(log, 'thread', { windowMs: 2, maxLength: 300 });

let number = 0;
const mark = () => `${name}:${++number} `;
const fragment = () => ({ type: 'text', runId: 'run', id: 'stream', content: mark() });
const fact = () => ({ type: 'warning', runId: 'run', message: mark() + 'x'.repeat(random(2000)) });
const acknowledge = seq => writeSync(1, `${seq} ${number}\n`);

for (;;) {
  if (random(2) === 0) {
    const events = Array.from({ length: 1 + random(40) }, () => (random(2) === 0 ? fragment() : fact()));
    acknowledge((await log.append('thread', events)).lastSeq);
  } else {
    for (let count = random(40); count > 0; count--) await writer.write(fragment());
    if (random(2) === 0) await writer.write(fact());
    else await writer.flush();
    const { seq } = await log.getThread('thread');
    acknowledge(seq);
  }
  if (random(4) === 0) await new Promise(resolve => setImmediate(resolve));
}
