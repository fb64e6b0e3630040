import { type JsonOption, printJson } from './print.ts';
import { addStoreOptions } from './command-options.ts';
import type { Command } from 'commander';
import { standardOutput } from '../control/standard-output.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { newId } from '../events/ids.ts';
import { createGraph, reduceEvent } from '../graph/graph.ts';
import { ThreadWriter } from '../log/thread-writer.ts';
import { visibleUrl } from '../log/store/store-url.ts';
import { PlainRows, ThreadView } from '../terminal/session/run-screen.ts';
import { listedCommand } from './command-list.ts';
import { graphLines } from './graph-lines.ts';
import { openStoreAt, type StoreOptions, storeUrls } from './settings/store-options.ts';

/** Adds `singletree demo`, which appends a scripted run to a thread, reads it back and prints its thread and graph. */
export function addDemoCommand(program: Command): void {
  const command = listedCommand(program, 'demo');
  addStoreOptions(command)
    .option('--json', 'print the events, one JSON value per line')
    .action(async (options: StoreOptions & JsonOption) => {
      const log = await openStoreAt(options);
      const { store } = storeUrls(options);
      try {
        const thread = await log.createThread({ title: 'Demo' });
        const writer = new ThreadWriter(log, thread.id);
        for (const event of demoRun()) await writer.write(event);
        await writer.flush();
        const events = await log.read(thread.id);
        if (options.json === true) return await printJson(events);
        const graph = events.reduce(reduceEvent, createGraph());
        const view = await ThreadView.open(log, thread.id, 0);
        const rows = new PlainRows({ view, cwd: process.cwd() });
        for (const event of events) view.take(event);
        const counts = `${events.length} events, ${graph.nodes.size} nodes`;
        const lines = [`Thread ${thread.id} in ${visibleUrl(store)}: ${counts}`, '', rows.end(), ...graphLines(graph)];
        await standardOutput.write(`${lines.join('\n')}\n`);
      } finally {
        await log.close();
      }
    });
}

/** A small scripted run: a question, a permission, a tool, a subagent and an answer, in about 25 events. */
export function* demoRun(): Generator<AgentEvent> {
  const asked = newId();
  const runId = newId();
  const child = newId();
  const list = `${runId}/call-1`;
  const delegate = `${runId}/call-2`;
  const relayId = newId();
  yield { type: 'user', runId: asked, content: 'What is in this folder, and is any of it out of date?' };
  yield { type: 'harness_start', runId, parentId: `${asked}:user`, agentId: 'demo' };
  yield { type: 'reasoning', runId, id: `${runId}/thought-1`, content: 'A listing comes first, ' };
  yield { type: 'reasoning', runId, id: `${runId}/thought-1`, content: 'then somebody should read the dates.' };
  yield* words(runId, 'text-1', "I'll list the files first.");
  yield { type: 'tool_call', runId, id: list, name: 'bash', input: { command: 'ls -l' } };
  yield { type: 'usage', runId, inputTokens: 50, outputTokens: 20 };
  yield {
    type: 'relay',
    runId,
    id: relayId,
    relayKind: 'permission',
    toolCallId: list,
    tool: 'bash',
    params: { command: 'ls -l' },
  };
  yield { type: 'relay_resolved', runId, relayId, outcome: 'approve', remember: 'once', by: 'you' };
  yield { type: 'tool_start', runId, id: list, name: 'bash' };
  yield {
    type: 'tool_result',
    runId,
    id: list,
    name: 'bash',
    output: { context: 'notes.md  plan.md', result: { exitCode: 0 } },
  };
  yield {
    type: 'tool_call',
    runId,
    id: delegate,
    name: 'agent',
    input: { task: 'Which notes are older than a year?' },
  };
  yield { type: 'tool_start', runId, id: delegate, name: 'agent' };
  yield { type: 'harness_start', runId: child, parentId: delegate, agentId: 'reader' };
  yield* words(child, 'text-1', 'plan.md was last changed in 2024.');
  yield { type: 'usage', runId: child, inputTokens: 31, outputTokens: 9 };
  yield { type: 'harness_end', runId: child, agentId: 'reader', reason: 'complete' };
  yield { type: 'tool_result', runId, id: delegate, name: 'agent', output: { context: 'plan.md is old' } };
  yield* words(runId, 'text-2', 'There are two files; plan.md is out of date.');
  yield { type: 'usage', runId, inputTokens: 92, outputTokens: 15 };
  yield { type: 'harness_end', runId, agentId: 'demo', reason: 'complete' };
}

function* words(runId: string, id: string, text: string): Generator<AgentEvent> {
  for (const content of text.split(/(?<= )/)) yield { type: 'text', runId, id: `${runId}/${id}`, content };
}
