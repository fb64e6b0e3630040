import { SingletreeError } from '../../base/singletree-error.ts';
import { exportedDocument, exportedLines } from '../thread-export.ts';
import { listPending } from './inbox-handlers.ts';
import type { McpCall } from './mcp-call.ts';
import { describeThread, readMarkdownPage } from './thread-handlers.ts';
import { threadUri } from './thread-uris.ts';

/** How many threads are listed as resources. */
const mostListed = 50;
/** How large the events of a thread may be as one resource. */
const mostBytes = 4 * 1024 * 1024;

/** Returns the newest threads as JSON. */
export async function readThreads({ site, threads }: McpCall): Promise<string> {
  const page = await threads.list({ limit: mostListed });
  return site.redactor.json(JSON.stringify({ threads: page.threads.map(describeThread) }));
}

/** Returns the pending relays as JSON. */
export async function readInbox(call: McpCall): Promise<string> {
  return call.site.redactor.json(JSON.stringify({ relays: await listPending(call) }));
}

/** Lists the newest threads as resources. */
export async function listThreadResources({ site, threads }: McpCall) {
  const page = await threads.list({ limit: mostListed });
  const toResource = ({ id, title }: { readonly id: string; readonly title?: string | undefined }) => ({
    uri: threadUri(id),
    name: site.redactor.text(title ?? id),
    mimeType: 'text/markdown',
  });
  return { resources: page.threads.map(toResource) };
}

/** Returns a thread as Markdown. */
export async function readThread({ site, threads }: McpCall, threadId: string): Promise<string> {
  const { log, version = '0' } = site.options;
  return exportedDocument({ log, redactor: site.redactor, version }, await threads.find(threadId), 'markdown');
}

/** Returns the events of a thread, one on each line; throws `thread_too_large` when they are too long for a resource. */
export async function readThreadEvents({ site, threads }: McpCall, threadId: string): Promise<string> {
  const { id } = await threads.find(threadId);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of exportedLines(site.options.log, site.redactor, id)) {
    size += chunk.length;
    if (size > mostBytes)
      throw new SingletreeError(
        'thread_too_large',
        `The events of the thread are more than ${mostBytes} bytes. Read them in pages: thread_read with format "events".`,
        { details: { threadId } },
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns the text that asks an agent to continue a thread. */
export async function writeContinuation(call: McpCall, threadId: string): Promise<string> {
  return `Continue the work of this conversation.\n\n${await readEnd(call, threadId)}`;
}

/** Returns the text that asks an agent to review a run of a thread. */
export async function writeReview(call: McpCall, threadId: string, runId: string): Promise<string> {
  const { status, agentId = 'an agent' } = await call.site.runs.find(await call.threads.find(threadId), runId);
  return `Review what ${agentId} did in its run ${runId} (${status}): is it correct, complete, and what was asked for?\n\n${await readEnd(call, threadId)}`;
}

/** The end of a thread as Markdown. */
async function readEnd({ site, threads }: McpCall, threadId: string): Promise<string> {
  const { text } = await readMarkdownPage(site, await threads.find(threadId), { limit: 500 });
  return site.redactor.text(text);
}
