// A program that speaks the Agent Client Protocol as Gemini CLI does: "run <command>" asks for permission and runs
// nothing, "hang" never ends its turn, anything else is repeated.
import { createInterface } from 'node:readline';

const sessionId = '11111111-2222-4333-8444-555555555555';
const print = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = fields => print({ method: 'session/update', params: { sessionId, update: fields } });
const say = text => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const answers = new Map();

async function prompt(text) {
  const [verb, ...words] = text.split(' ');
  if (verb === 'hang') return new Promise(() => say('Begun.'));
  if (verb !== 'run') return say(`I read: ${text}`);
  const call = { toolCallId: 'run_shell_command__1', title: words.join(' '), kind: 'execute' };
  const options = [
    { optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' },
    { optionId: 'cancel', name: 'Reject', kind: 'reject_once' },
  ];
  const answered = new Promise(resolve => answers.set('ask-1', resolve));
  const params = { sessionId, options, toolCall: { ...call, status: 'pending', content: [] } };
  print({ id: 'ask-1', method: 'session/request_permission', params });
  const { outcome } = await answered;
  if (outcome.optionId !== 'proceed_once') return say('It was not allowed.');
  update({ sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status: 'completed', content: [] });
  return say('It ran.');
}

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    authMethods: [],
    agentCapabilities: { loadSession: true, promptCapabilities: { image: true, embeddedContext: false } },
  }),
  'session/new': () => ({ sessionId }),
  'session/load': () => ({}),
  'session/set_mode': () => ({}),
  'session/set_config_option': ({ configId: id, value }) => ({
    configOptions: [{ id, name: id, type: 'select', currentValue: value, options: [{ value, name: value }] }],
  }),
  'session/prompt': async params => {
    await prompt(params.prompt.map(block => block.text ?? `[${block.type}]`).join('\n'));
    return { stopReason: 'end_turn' };
  },
};

async function take(line) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) answers.get(id)?.(result);
  else if (id !== undefined) print({ id, result: await methods[method]?.(params) });
}

createInterface({ input: process.stdin }).on('line', line => void take(line));
