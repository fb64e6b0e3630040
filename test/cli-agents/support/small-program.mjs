// A program with a protocol of its own, one JSON object per line: it asks before it runs its one command.
import { createInterface } from 'node:readline';

const print = record => console.log(JSON.stringify(record));
let isStopped = false;
createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line);
  if (message.type === 'hello') print({ type: 'ready', session: 'small-1' });
  if (message.type === 'prompt') print({ type: 'ask', id: 'a1', call: 'c1', command: message.text });
  if (message.type === 'stop') isStopped = true;
  if (message.type !== 'answer' && message.type !== 'stop') return;
  if (!isStopped) print({ type: 'result', call: 'c1', output: message.allow ? 'done' : undefined, why: message.why });
  print({ type: 'end' });
});
