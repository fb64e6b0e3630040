import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { agentLoop } from './agent-loop.ts';
import { conversationViews } from './conversation-views.ts';
import { dagLayout } from './dag-layout.ts';
import { durable } from './durable/durable.ts';
import { facesAgUi } from './faces-ag-ui.ts';
import { faces } from './faces.ts';
import { graphReduce } from './graph-reduce.ts';
import { importSessions } from './import-sessions.ts';
import { longThread } from './long-thread.ts';
import { liveSessions } from './live-sessions.ts';
import { mcpStart } from './mcp-start.ts';
import { memory } from './memory.ts';
import { modelContext } from './model-context.ts';
import { pageThread } from './page-thread.ts';
import { pageGraph } from './page-graph.ts';
import { pageInbox } from './page-inbox.ts';
import { pageViews } from './page-views.ts';
import { processLoad } from './process-load.ts';
import { rlm } from './rlm.ts';
import { serverLoad } from './server-load.ts';
import { stores } from './stores.ts';
import { subagents } from './subagents.ts';
import { harness } from './harness.ts';
import { type Benchmark, isMet, ratioOf, type Result } from './result.ts';
import { sqliteAppend } from './sqlite-append.ts';
import { sqliteLayout } from './sqlite-layout.ts';
import { sqliteRead } from './sqlite-read.ts';
import { heading, rowOf } from './table.ts';
import { terminal } from './terminal.ts';
import { translate } from './translate.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = {
  'agent-loop': agentLoop,
  'conversation-views': conversationViews,
  'dag-layout': dagLayout,
  durable,
  'faces-ag-ui': facesAgUi,
  faces,
  'graph-reduce': graphReduce,
  harness,
  'import-sessions': importSessions,
  'long-thread': longThread,
  'live-sessions': liveSessions,
  'mcp-start': mcpStart,
  memory,
  'model-context': modelContext,
  'page-thread': pageThread,
  'page-graph': pageGraph,
  'page-inbox': pageInbox,
  'page-views': pageViews,
  'process-load': processLoad,
  rlm,
  'server-load': serverLoad,
  'sqlite-append': sqliteAppend,
  'sqlite-layout': sqliteLayout,
  'sqlite-read': sqliteRead,
  stores,
  subagents,
  terminal,
  translate,
};
const resultsFile = new URL('../../bench/results.json', import.meta.url);

const wanted = process.argv.slice(2);
const names = Object.keys(benchmarks).filter(name => wanted.length === 0 || wanted.some(part => name.includes(part)));
if (names.length === 0) {
  console.error(`No benchmark is called ${wanted.join(' or ')}. There are: ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(1);
}

console.log(heading);
const found: (Result & { benchmark: string })[] = [];
for (const name of names)
  for await (const result of (benchmarks[name] as Benchmark)()) {
    console.log(rowOf(result));
    found.push({ benchmark: name, ...result });
  }

/** A run of some benchmarks only shows them: the file holds whole runs. */
if (wanted.length === 0) writeFileSync(resultsFile, `${JSON.stringify(report(), undefined, 2)}\n`);
if (found.some(result => isMet(result) === false)) process.exitCode = 1;

function report() {
  return {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cpu: cpus()[0]?.model.trim(),
    results: found.map(result => ({ ...result, ratio: ratioOf(result), ok: isMet(result) })),
  };
}
