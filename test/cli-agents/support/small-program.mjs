// A program with a protocol of its own, one JSON object per line: it asks before it runs its one command.
import { createInterface } from 'node:readline';

const print = record => console.log(JSON.stringify(record));
const session = process.argv[2] ?? 'small-1';
if (session === 'lost') process.exit(1);
createInterface({ input: process.stdin }).on('line', line => {
  const { type, text, allow, why, answer } = JSON.parse(line);
  if (type === 'hello') print({ type: 'ready', session });
  if (type === 'prompt' && text.endsWith('?')) print({ type: 'question', text, choices: ['red', 'blue'] });
  else if (type === 'prompt' && text !== 'wait') print({ type: 'ask', call: 'c1', command: text });
  if (type === 'answer') print({ type: 'result', call: 'c1', output: allow ? 'done' : undefined, why });
  if (type === 'choice') print({ type: 'said', text: `${session} chose ${answer ?? 'nothing'}.` });
  if (type === 'answer' || type === 'choice' || type === 'stop') print({ type: 'end' });
});
