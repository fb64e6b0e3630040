/** A program that prints what Codex prints and does what its prompt says. */
import { spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';

const args = process.argv.slice(2);
const last = args.at(-1);
const prompt = last === '-' ? readFileSync(0, 'utf8') : last;
const print = value => writeSync(1, `${JSON.stringify(value)}\n`);
const say = text => print({ type: 'item.completed', item: { id: 'm', type: 'agent_message', text } });
const end = () => print({ type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 7 } });
const stay = () => setInterval(() => {}, 1_000);
const deaf = () => ['SIGINT', 'SIGTERM'].forEach(signal => process.on(signal, () => {}));

if (args[args.indexOf('resume') + 1] === 'lost') {
  writeSync(2, 'Error: thread/resume: thread/resume failed: no rollout found for thread id lost (code -32600)\n');
  process.exit(1);
}

const tasks = {
  hello() {
    say('hello');
    end();
  },
  mcp() {
    const call = { id: 't', type: 'mcp_tool_call', server: 's', tool: 'x' };
    print({ type: 'item.started', item: { ...call, status: 'in_progress' } });
    print({ type: 'item.completed', item: { ...call, status: 'failed', error: { message: 'gone' } } });
    end();
  },
  denied() {
    const call = { id: 'c', type: 'command_execution', command: 'rm x' };
    print({ type: 'item.completed', item: { ...call, status: 'declined', aggregated_output: 'not allowed' } });
    if (args.includes('--answer')) say('I could not.');
    end();
  },
  args() {
    say(JSON.stringify(args));
    end();
  },
  crash() {
    writeSync(2, '\u001b[31mthe roof\r\nis on fire\u001b[0m\n');
    process.exitCode = 3;
  },
  refuse() {
    writeSync(2, "error: unexpected argument '--json' found\n");
    process.exitCode = 2;
  },
  hang() {
    deaf();
    say('still here');
    stay();
  },
  linger() {
    deaf();
    say('done');
    end();
    stay();
  },
  again() {
    end();
    print({ type: 'turn.started' });
    setTimeout(() => (say('not yet'), end()), 400);
  },
  orphan() {
    const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000)'], {
      stdio: 'inherit',
    });
    say(String(child.pid));
    end();
    child.on('spawn', () => process.exit(0));
  },
  split() {
    const bytes = Buffer.from(
      JSON.stringify({ type: 'item.completed', item: { id: 'm', type: 'agent_message', text: 'ü🦄' } }),
    );
    for (const byte of bytes) writeSync(1, Buffer.from([byte]));
    writeSync(1, '\r\n');
    end();
  },
  flood() {
    for (let i = 0; i < 20_000; i++)
      print({ type: 'item.completed', item: { id: `${i}`, type: 'reasoning', text: 'x'.repeat(200) } });
    end();
  },
  env() {
    say(JSON.stringify(process.env));
    end();
  },
};

print({ type: 'thread.started', thread_id: 's-1' });
if (prompt in tasks) tasks[prompt]();
else {
  say(`${prompt.length}:${prompt.slice(0, 20)}`);
  end();
}
