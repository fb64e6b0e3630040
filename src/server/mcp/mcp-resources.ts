import { type McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { McpCall } from './mcp-call.ts';
import type { McpConnection } from './mcp-connection.ts';
import type * as contents from './resource-contents.ts';
import { inboxUri, threadsUri } from './thread-uris.ts';

type Contents = typeof contents;

const json = 'application/json';
const markdown = 'text/markdown';
const lines = 'application/x-ndjson';

const thread = z.string().min(1).max(200).describe('the id of the thread');
const run = z.string().min(1).max(200).describe('the id of the run');

/** Adds the resources (the threads, each as Markdown and as events, and the inbox) and the prompts about threads. */
export function addResources(server: McpServer, connection: McpConnection): void {
  const load = <Result>(context: ServerContext, act: (loaded: Contents, call: McpCall) => Promise<Result>) =>
    connection.read(server, context, async call => act(await import('./resource-contents.ts'), call));
  const reader =
    (mimeType: string, act: (loaded: Contents, call: McpCall, id: string) => Promise<string>) =>
    async (uri: URL, id: string, context: ServerContext) => ({
      contents: [{ uri: uri.href, mimeType, text: await load(context, (loaded, call) => act(loaded, call, id)) }],
    });
  const prompt = async (text: Promise<string>) => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: await text } }],
  });

  const threads = reader(json, (loaded, call) => loaded.readThreads(call));
  const description = 'The newest threads';
  server.registerResource('threads', threadsUri, { description, mimeType: json }, (uri, context) =>
    threads(uri, '', context),
  );
  const inbox = reader(json, (loaded, call) => loaded.readInbox(call));
  server.registerResource(
    'inbox',
    inboxUri,
    { description: 'What waits for a person', mimeType: json },
    (uri, context) => inbox(uri, '', context),
  );
  const list = (context: ServerContext) => load(context, (loaded, call) => loaded.listThreadResources(call));
  const document = reader(markdown, (loaded, call, id) => loaded.readThread(call, id));
  server.registerResource(
    'thread',
    new ResourceTemplate(`${threadsUri}/{id}`, { list }),
    { description: 'A thread as Markdown', mimeType: markdown },
    (uri, { id }, context) => document(uri, String(id), context),
  );
  const events = reader(lines, (loaded, call, id) => loaded.readThreadEvents(call, id));
  server.registerResource(
    'events',
    new ResourceTemplate(`${threadsUri}/{id}/events`, { list: undefined }),
    { description: 'The events of a thread, one on each line', mimeType: lines },
    (uri, { id }, context) => events(uri, String(id), context),
  );
  server.registerPrompt(
    'continue',
    { description: 'Continue a conversation with another agent here', argsSchema: z.object({ thread }) },
    ({ thread: id }, context) => prompt(load(context, (loaded, call) => loaded.writeContinuation(call, id))),
  );
  server.registerPrompt(
    'review_run',
    { description: 'Review what a run of an agent did', argsSchema: z.object({ thread, run }) },
    ({ thread: id, run: runId }, context) =>
      prompt(load(context, (loaded, call) => loaded.writeReview(call, id, runId))),
  );
}
