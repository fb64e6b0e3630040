// A whole console on the Harness: threads, modes, approvals, questions, plans, follow-ups, subagents. `/help` lists its
// commands; with a file as argument, `node build/examples/harness-console.js chat.db`, it goes on where it stopped.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Harness } from 'singletree/control';
import { SqliteLog } from 'singletree/log';
import { answerPending } from './harness-console/answers.ts';
import { commands, helpText } from './harness-console/commands.ts';
import { demo } from './harness-console/demo.ts';
import { EventPrinter } from './harness-console/event-printer.ts';

const [, , file] = process.argv;
const storage = file === undefined ? undefined : new SqliteLog(file);
const harness = new Harness({ ...demo, ...(storage && { storage }) });
const lines = createInterface({ input: process.stdin, output: process.stdout });

const prompt = () => {
  lines.setPrompt(`${harness.getCurrentModeId()} › `);
  lines.prompt(true);
};
const printer = new EventPrinter(process.stdout);
harness.subscribe(event => {
  // What a person is asked, and an answer that is complete, make room for the next line.
  if (printer.print(event)) prompt();
});

/** A line is a command, an answer to what waits, or a message: during a turn it goes into that. */
async function take(line: string): Promise<void> {
  const [, name = '', rest = ''] = /^\/(\w+) *(.*)$/.exec(line) ?? [];
  if (name === 'quit') lines.close();
  else if (name === 'help') printer.line(helpText);
  else if (name !== '')
    printer.line((await commands[name]?.run(harness, rest)) ?? `Unknown command /${name}. Try /help.`);
  else if (line !== '' && !(await answerPending(harness, line))) await harness.sendMessage({ content: line });
}

let isClosed = false;
lines.on('close', () => (isClosed = true));
lines.on('line', line => {
  take(line.trim())
    .catch((error: Error) => isClosed || printer.line(`! ${error.message}`))
    .finally(() => isClosed || printer.isInText || prompt());
});
lines.on('SIGINT', () => (harness.isRunning() ? harness.abort() : lines.close()));

printer.line('A console on the Harness. Say roll, colour, plan, pay, look or count; /help lists the commands.');
await harness.selectOrCreateThread();
prompt();
if (!isClosed) await once(lines, 'close');
await harness.destroy();
await storage?.close();
