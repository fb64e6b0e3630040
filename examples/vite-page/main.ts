// A page of your own on a Singletree server: `startServer({ …, webRoot: 'dist' })` serves what `vite build` makes of it.
import { createClient } from 'singletree/client';

const client = createClient();
const { id } = await client.createThread({ title: 'From my page' });
const list = document.querySelector('#messages');
const form = document.querySelector<HTMLFormElement>('#ask');
const rows = new Map<string, HTMLElement>();

function add(key: string, text: string): void {
  const row = rows.get(key) ?? document.createElement('li');
  rows.set(key, row);
  row.append(text);
  list?.append(row);
}
form?.addEventListener('submit', event => {
  event.preventDefault();
  const text = new FormData(form).get('text');
  form.reset();
  if (typeof text === 'string') void client.sendMessage(id, { content: text });
});
// It resumes after the last event that it saw, whatever happens to the connection.
for await (const event of client.watch(id)) {
  if (event.type === 'user' && typeof event.content === 'string') add(event.runId, event.content);
  if (event.type === 'text') add(event.id, event.content);
}
