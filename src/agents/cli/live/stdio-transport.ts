import { ProcessRun } from '../agent/run-process.ts';
import type { ChannelTransport, TransportOptions } from './channel-transport.ts';

/** Starts a program whose messages are the lines of its standard input and output. */
export function stdioTransport(options: TransportOptions): ChannelTransport {
  const { signal } = new AbortController();
  const live = { isInteractive: true, hasTurns: true, settleMs: 0, isFinished: () => false };
  const run = new ProcessRun({ ...options, ...live, signal });
  return {
    get isRunning() {
      return run.isRunning;
    },
    exit: run.exit,
    send: message => run.send(`${message}\n`),
    next: () => run.next(),
    keepAlive: isKept => run.keepAlive(isKept),
    turns: run,
    dispose: () => run.dispose(),
  };
}
