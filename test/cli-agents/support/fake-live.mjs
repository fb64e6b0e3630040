// A program with a small protocol of JSON lines; it does what the words of the prompt say, step by step, separated by ";".
//   say <text> · ask <command> (waits for the answer) · echo (what it was started with and has read) · end <reason> ·
//   work <place> <file> (makes a call whose command never ends) · leave <place> <file> (leaves a command running): the
//   command runs in the group of the program, in a group of its own or in a session of its own, and writes its id to the file ·
//   deaf (to what is steered) · forget (what is steered, after it was confirmed) · later <text> (printed after the turn) · hang · slow <ms> (before the next step)
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const args = process.argv.slice(2);
const at = name => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const resumed = at('--session');
const sessionId = resumed === undefined || args.includes('--fork') ? `session-${process.pid}` : resumed;
const print = record => process.stdout.write(`${JSON.stringify(record)}\n`);
const read = [];
const waiting = new Map();
let steered = [];
let count = 0;
let interrupt = () => {};

/** Starts a command that ignores the polite signals, and waits until it runs. */
async function start(place, file) {
  const script = `trap "" INT HUP; echo $$ > ${file}; while :; do sleep 0.05; done`;
  const [command, args] = place === 'session' ? ['setsid', ['sh', '-c', script]] : ['sh', ['-c', script]];
  spawn(command, args, { stdio: 'ignore', detached: place !== 'group' });
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await new Promise(resolve => setTimeout(resolve, 5));
}

async function step(words, turn) {
  const [verb, ...rest] = words.trim().split(' ');
  const text = rest.join(' ');
  if (verb === 'ask') {
    const id = `call-${++count}-${process.pid}`;
    const answered = new Promise(resolve => waiting.set(id, resolve));
    print({ type: 'ask', id, command: text });
    const answer = await answered;
    print({ type: 'result', id, output: answer.outcome === 'approve' ? `ran ${answer.command ?? text}` : 'rejected' });
  } else if (verb === 'work' || verb === 'leave') {
    const id = `call-${++count}-${process.pid}`;
    print({ type: 'call', id, command: text });
    await start(rest[0], rest[1]);
    if (verb === 'work') await new Promise(() => {});
    print({ type: 'result', id, output: 'started' });
  } else if (verb === 'echo') print({ type: 'text', text: JSON.stringify({ args, pid: process.pid, read }) });
  else if (verb === 'end') turn.reason = text;
  else if (verb === 'deaf') turn.isDeaf = true;
  else if (verb === 'forget') turn.forgets = true;
  else if (verb === 'later') turn.later.push(text);
  else if (verb === 'hang') await new Promise(() => {});
  else if (verb === 'slow') await new Promise(resolve => setTimeout(resolve, Number(text)));
  else print({ type: 'text', text: verb === 'say' ? text : words.trim() });
}

async function prompt(text) {
  read.push(text);
  const turn = { reason: 'complete', isDeaf: false, forgets: false, forgotten: [], later: [] };
  const stopped = new Promise(resolve => (interrupt = resolve)).then(() => (turn.reason = 'aborted'));
  for (const words of text.split(';')) {
    await Promise.race([step(words, turn), stopped]);
    if (turn.reason !== 'complete') break;
    if (turn.isDeaf) continue;
    for (const message of steered.splice(0)) {
      if (turn.forgets) turn.forgotten.push(message.id);
      else read.push(message.text);
      print({ type: 'joined', id: message.id });
    }
  }
  print({ type: 'end', reason: turn.reason, unsent: [...turn.forgotten, ...steered.map(({ id }) => id)] });
  steered = [];
  for (const words of turn.later) print({ type: 'text', text: words });
}

print({ type: 'ready', sessionId });
createInterface({ input: process.stdin })
  .on('line', line => {
    const record = JSON.parse(line);
    if (record.type === 'prompt') void prompt(record.text);
    else if (record.type === 'steer') steered.push(record);
    else if (record.type === 'answer') waiting.get(record.id)?.(record);
    else interrupt();
  })
  .on('close', () => process.exit(0));
