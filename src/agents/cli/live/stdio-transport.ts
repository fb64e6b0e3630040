import { ProcessRun } from '../agent/run-process.ts';
import type { ChannelTransport, TransportOptions } from './channel-transport.ts';

/** Starts a program whose messages are the lines of its standard input and output. */
export function stdioTransport(options: TransportOptions): ChannelTransport {
  const { signal } = new AbortController();
  const run = new ProcessRun({ ...options, signal, isInteractive: true, settleMs: 0, isFinished: () => false });
  return {
    get isRunning() {
      return run.isRunning;
    },
    exit: run.exit,
    send: message => run.send(`${message}\n`),
    next: () => run.next(),
    keepAlive: isKept => run.keepAlive(isKept),
    dispose: () => run.dispose(),
  };
}
