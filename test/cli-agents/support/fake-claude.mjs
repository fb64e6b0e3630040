// Speaks the control protocol of Claude Code, by the words of the prompt: a list of steps separated by ";".
//   say <text> · run <command> · question · plan · slow (until a message comes) · hang · deaf (to interrupts) · exit ·
//   echo (what it was started with and was sent)
import { execSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const args = process.argv.slice(2);
const at = name => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const sessionId = at('--resume') ?? 'session-1';
const print = record => process.stdout.write(`${JSON.stringify({ session_id: sessionId, ...record })}\n`);
const received = [];
const waiting = new Map();
const prompts = [];
let mode = at('--permission-mode');
let model = at('--model') ?? 'fake';
let count = 0;
let isBusy = false;
let stop;

if (at('--resume') === 'unknown') {
  process.stderr.write('No conversation found with session ID: unknown\n');
  print({
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    num_turns: 0,
    errors: ['No conversation found'],
  });
  process.exit(1);
}

/** Never opens its session. */
const isMute = args.includes('--mute');
if (isMute) process.stderr.write(`waiting in process ${process.pid}\n`);

const say = text =>
  print({ type: 'assistant', message: { id: `m${++count}`, model, content: [{ type: 'text', text }] } });

async function ask(tool_name, input) {
  const id = `tool-${++count}-${process.pid}`;
  print({
    type: 'assistant',
    message: { id: `m${count}`, model, content: [{ type: 'tool_use', id, name: tool_name, input }] },
  });
  const request_id = `request-${count}-${process.pid}`;
  const answered = new Promise(resolve => waiting.set(request_id, resolve));
  print({
    type: 'control_request',
    request_id,
    request: { subtype: 'can_use_tool', tool_name, input, tool_use_id: id },
  });
  const answer = await answered;
  if (answer === undefined) return;
  const isAllowed = answer.behavior === 'allow';
  let content = isAllowed ? JSON.stringify(answer.updatedInput) : answer.message;
  if (isAllowed && tool_name === 'Bash') content = execSync(answer.updatedInput.command, { encoding: 'utf8' });
  const block = { type: 'tool_result', tool_use_id: id, content, is_error: !isAllowed };
  print({ type: 'user', message: { role: 'user', content: [block] } });
}

async function step(words) {
  const [verb, ...rest] = words.trim().split(' ');
  const text = rest.join(' ');
  if (verb === 'run') await ask('Bash', { command: text, description: `runs ${text}` });
  else if (verb === 'question')
    await ask('AskUserQuestion', {
      questions: [{ question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }] }],
    });
  else if (verb === 'plan') await ask('ExitPlanMode', { plan: '# Plan\n1. do it' });
  else if (verb === 'echo') say(JSON.stringify({ args, model, mode, received }));
  else if (verb === 'exit') process.exit(3);
  else if (verb === 'deaf') received.push('deaf');
  else if (verb === 'hang') await new Promise(() => {});
  else if (verb === 'slow') await new Promise(resolve => (prompts.length > 0 ? resolve() : (stop = resolve)));
  else say(verb === 'say' ? text : words.trim());
}

async function next() {
  if (isBusy || prompts.length === 0) return;
  isBusy = true;
  const { text, uuid, content } = prompts.shift();
  print({ type: 'system', subtype: 'init', model, permissionMode: mode, cwd: process.cwd() });
  print({ type: 'user', uuid, isReplay: true, message: { role: 'user', content } });
  let wasStopped = false;
  for (const words of text.split(';')) {
    await Promise.race([step(words), new Promise(resolve => (interrupted = resolve)).then(() => (wasStopped = true))]);
    if (wasStopped) break;
    for (const message of prompts.splice(0)) {
      print({ type: 'user', uuid: message.uuid, isReplay: true, message: { role: 'user', content: message.content } });
      received.push(message.text);
    }
  }
  const usage = { input_tokens: 1, output_tokens: 1 };
  print({
    type: 'result',
    subtype: wasStopped ? 'error_during_execution' : 'success',
    is_error: wasStopped,
    num_turns: 1,
    usage,
  });
  isBusy = false;
  void next();
}
let interrupted = () => {};

createInterface({ input: process.stdin })
  .on('line', line => {
    if (isMute) return;
    const record = JSON.parse(line);
    if (record.type === 'user') {
      const { content } = record.message;
      const text = content.map(part => part.text ?? `[${part.type}]`).join(' ');
      prompts.push({ text, content, uuid: record.uuid });
      if (stop !== undefined && isBusy) stop();
      void next();
    } else if (record.type === 'control_response') {
      const { request_id, response } = record.response;
      waiting.get(request_id)?.(response);
      waiting.delete(request_id);
    } else if (record.type === 'control_request') {
      const { subtype } = record.request;
      if (subtype === 'set_permission_mode') mode = record.request.mode;
      if (subtype === 'set_model') model = record.request.model;
      print({
        type: 'control_response',
        response: { subtype: 'success', request_id: record.request_id, response: {} },
      });
      if (subtype === 'interrupt') {
        if (received.includes('deaf')) return;
        for (const [request_id, resolve] of waiting) {
          print({ type: 'control_cancel_request', request_id });
          resolve(undefined);
        }
        waiting.clear();
        interrupted();
      }
    }
  })
  .on('close', () => process.exit(0));
