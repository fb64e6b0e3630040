import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Supervisor } from 'singletree/control';
import type { AgentEvent } from 'singletree/events';
import { MemoryLog } from 'singletree/log';
import { startServer } from 'singletree/server';
import { collectGarbage } from './measure.ts';
import type { Result } from './result.ts';
import type { ReadersOrder, ReadersReport } from './sse-readers.ts';

const readers = 1000;
const everyMs = 10;
const events = 300;
const rounds = 2;

/** A server of streams under test: `append` sends one event to all readers of a path. */
interface Fanout {
  readonly port: number;
  readonly paths: readonly string[];
  append(event: AgentEvent): Promise<void>;
  close(): Promise<void>;
}

interface Load {
  /** Of the server process, for one event to one reader. */
  readonly cpuMicros: number;
  readonly p99Ms: number;
  readonly kilobytesPerReader: number;
  /** Events that were sent each second: below what was asked for when the machine cannot keep up. */
  readonly perSecond: number;
}

/** Many readers of live threads get every event, soon, at about the cost of writing to their sockets. */
export async function* serverLoad(): AsyncGenerator<Result> {
  const loads = { ours: [] as Load[], bare: [] as Load[] };
  for (let round = 0; round < rounds; round++) {
    loads.bare.push(await measure(await bareFanout()));
    loads.ours.push(await measure(await ourFanout(1, readers)));
  }
  const least = (name: keyof Load) => ({
    ours: Math.min(...loads.ours.map(load => load[name])),
    peer: Math.min(...loads.bare.map(load => load[name])),
  });
  const size = `${readers.toLocaleString('en-US')} readers, ${1000 / everyMs} events/s`;
  const claim = (what: string) => `server: ${what} vs a bare node:http fan-out`;
  const cpu = least('cpuMicros');
  yield { claim: claim('CPU per event and reader'), size, unit: 'µs', ...cpu, goal: { atMost: 2 } };
  yield { claim: claim('p99 delay'), size, unit: 'ms', ...least('p99Ms'), goal: { atMost: 1.5 } };
  yield { claim: claim('memory per reader'), size, unit: 'KB', ...least('kilobytesPerReader'), goal: { atMost: 3 } };
  const kept = (list: readonly Load[]) => Math.max(...list.map(load => load.perSecond));
  yield { claim: claim('events sent'), size, unit: 'events/s', ours: kept(loads.ours), peer: kept(loads.bare) };
  const many = await measure(await ourFanout(200, 1), 100, 100);
  yield { claim: 'server: p99 delay, each thread with its reader', size: '200 threads', unit: 'ms', ours: many.p99Ms };
}

async function ourFanout(threads: number, readersOfThread: number): Promise<Fanout> {
  const log = new MemoryLog();
  const control = new Supervisor({ log });
  const server = await startServer({ log, control, agents: { list: () => [], get: () => undefined }, port: 0 });
  const ids: string[] = [];
  for (let index = 0; index < threads; index++) ids.push((await log.createThread()).id);
  return {
    port: Number(new URL(server.url).port),
    paths: ids.flatMap(id => Array.from({ length: readersOfThread }, () => `/api/threads/${id}/events`)),
    append: async event => {
      for (const id of ids) await log.append(id, [event]);
    },
    close: async () => {
      await server.close();
      await log.close();
    },
  };
}

/** The least a server can do: each event is written once as text, and to every response. */
async function bareFanout(): Promise<Fanout> {
  const responses = new Set<ServerResponse>();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n');
    responses.add(response);
    response.on('close', () => responses.delete(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let seq = 0;
  return {
    port: (server.address() as AddressInfo).port,
    paths: Array.from({ length: readers }, () => '/'),
    append: async event => {
      const bytes = Buffer.from(`id: ${++seq}\ndata: ${JSON.stringify({ ...event, seq })}\n\n`);
      for (const response of responses) response.write(bytes);
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Lets readers in another process follow, appends at a steady pace, and checks that everything arrived. */
async function measure(fanout: Fanout, count = events, pauseMs = everyMs): Promise<Load> {
  // Sockets of the round before are freed some turns after they were closed.
  await setTimeout(200);
  collectGarbage();
  const empty = memory();
  const child = fork(new URL('./sse-readers.js', import.meta.url));
  const order: ReadersOrder = { port: fanout.port, paths: fanout.paths, events: count };
  child.send(order);
  await reportOf(child);
  collectGarbage();
  const kilobytesPerReader = (memory() - empty) / 1024 / fanout.paths.length;
  const done = reportOf(child);
  const before = process.cpuUsage();
  const start = performance.now();
  const startedAt = Date.now();
  for (let sent = 0; sent < count; sent++) {
    await setTimeout(Math.max(0, start + sent * pauseMs - performance.now()));
    const note = 'A line of text as an agent writes it, of about a hundred characters, so that it looks like work.';
    // From when it was due: a server that holds up the sender is not excused from the delay.
    await fanout.append({ type: 'custom', runId: 'run', name: note, data: String(startedAt + sent * pauseMs) });
  }
  const perSecond = count / ((performance.now() - start + pauseMs) / 1000);
  const report = await done;
  const { user, system } = process.cpuUsage(before);
  await fanout.close();
  const expected = count * fanout.paths.length;
  if (report.type !== 'done' || report.delivered !== expected)
    throw new Error(`Expected ${expected} events to arrive: ${JSON.stringify(report)}.`);
  return { cpuMicros: (user + system) / expected, p99Ms: report.p99Ms, kilobytesPerReader, perSecond };
}

async function reportOf(child: ChildProcess): Promise<ReadersReport> {
  return ((await once(child, 'message')) as [ReadersReport])[0];
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
