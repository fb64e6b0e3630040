// A chat on the client under CopilotKit: the thread is in the address, so that a reload connects to it again.
import { CopilotKitCore } from '@copilotkit/core';

const element = id => document.getElementById(id);
const threadId = location.hash.slice(1) || crypto.randomUUID();
location.hash = threadId;

const core = new CopilotKitCore({
  runtimeUrl: '/api/ag-ui',
  runtimeTransport: 'rest',
  headers: { authorization: 'Bearer a-token-for-development' },
});
let agent;

core.subscribe({
  onRuntimeConnectionStatusChanged: ({ status }) => {
    showStatus(status);
    if (status === 'connected' && agent === undefined) void begin();
  },
  onError: ({ error }) => showStatus(error.message),
});

async function begin() {
  element('agents').replaceChildren(...Object.keys(core.agents).map(id => new Option(id)));
  await open(element('agents').value);
}

/** Shows the thread with an agent: its messages, and the run that is under way. */
async function open(agentId) {
  agent = core.getAgent(agentId);
  agent.threadId = threadId;
  agent.subscribe({
    onMessagesChanged: show,
    onRunErrorEvent: ({ event }) => showStatus(event.message),
    onRunFinalized: show,
  });
  await core.connectAgent({ agent });
  show();
}

async function run(options = {}) {
  showStatus('running');
  await core.runAgent({ agent, ...options });
  showStatus(agent.pendingInterrupts.length > 0 ? 'waiting for you' : 'ready');
  show();
}

/** Answers everything that is asked: a client has to answer all of it at once. */
function answer(payload) {
  const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload }));
  return run({ resume });
}

function show() {
  element('messages').replaceChildren(...agent.messages.map(messageElement));
  element('interrupts').replaceChildren(...agent.pendingInterrupts.map(interruptElement));
}

function messageElement({ role, content, toolCalls = [] }) {
  const calls = toolCalls.map(({ function: { name, arguments: input } }) => `→ ${name} ${input}`);
  const shown = document.createElement('article');
  shown.className = role;
  shown.textContent = [typeof content === 'string' ? content : JSON.stringify(content), ...calls]
    .filter(Boolean)
    .join('\n');
  return shown;
}

function interruptElement({ message, responseSchema }) {
  const shown = document.createElement('form');
  shown.className = 'interrupt';
  shown.append(message);
  if (responseSchema?.required?.includes('answer')) {
    const text = document.createElement('input');
    text.ariaLabel = 'Answer';
    shown.append(
      text,
      button('Answer', () => answer({ answer: text.value })),
    );
  } else
    shown.append(
      button('Approve', () => answer({ approved: true })),
      button('Reject', () => answer({ approved: false })),
    );
  return shown;
}

function button(label, act) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = label;
  made.addEventListener('click', act);
  return made;
}

function showStatus(text) {
  element('status').textContent = text;
}

element('composer').addEventListener('submit', event => {
  event.preventDefault();
  const content = element('text').value.trim();
  if (content === '' || agent === undefined) return;
  element('text').value = '';
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
  void run();
});
element('stop').addEventListener('click', () => core.stopAgent({ agent }));
element('agents').addEventListener('change', ({ target }) => void open(target.value));
