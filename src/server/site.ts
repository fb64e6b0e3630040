import { setMaxListeners } from 'node:events';
import { createRedactor, type Redactor } from '../agents/redaction/redactor.ts';
import { openRunsOf } from '../control/supervision/open-runs.ts';
import { type Thread, visibleMetadata } from '../log/index.ts';
import { type Framing, type ProtocolRegistry, protocolRegistry, type ThreadInfo } from '../protocols/index.ts';
import type { AppOptions } from './app.ts';
import { MessageIntake } from './message-intake.ts';
import { Metrics } from './metrics.ts';
import { PendingInbox } from './pending-inbox.ts';
import { Access, type Scope } from './security/access.ts';
import type { EventText } from './security/redacted-texts.ts';
import { KeepAlive } from './streams/keep-alive.ts';
import { ThreadFeeds } from './streams/thread-feed.ts';
import { findThread } from './threads.ts';

/** What the routes of one server share. Everything in it can be made anew from the log. */
export class Site {
  readonly options: AppOptions;
  readonly access: Access;
  readonly redactor: Redactor;
  readonly metrics: Metrics = new Metrics();
  readonly intake: MessageIntake;
  readonly inbox: PendingInbox;
  readonly keepAlive: KeepAlive;
  readonly protocols: ProtocolRegistry;
  readonly #feeds = new Map<Framing, ThreadFeeds>();
  /** Ends every open stream. */
  readonly signal: AbortSignal;

  constructor(options: AppOptions) {
    const { log, tokens = [], secrets = [], signal = new AbortController().signal, keepAliveMs = 15_000 } = options;
    this.options = options;
    this.signal = signal;
    // Every open stream listens to it.
    setMaxListeners(0, signal);
    this.access = new Access(tokens, options.attempts);
    this.redactor = createRedactor([...secrets, ...tokens.map(({ token }) => token)]);
    this.intake = new MessageIntake(options);
    this.inbox = new PendingInbox(log);
    this.keepAlive = new KeepAlive(keepAliveMs);
    this.protocols = protocolRegistry(options.protocols);
  }

  /** The feeds that all readers share who are sent the events as they are, in this framing. */
  feedsIn(framing: Framing): ThreadFeeds {
    const known = this.#feeds.get(framing);
    if (known !== undefined) return known;
    const encode = ({ seq, text }: EventText) => utf8.encode(framing.frame(text, seq));
    const feeds = new ThreadFeeds({ log: this.options.log, encode, redactor: this.redactor });
    this.#feeds.set(framing, feeds);
    return feeds;
  }

  readonly countEvents = (count: number): void => void (this.metrics.eventsSent += count);

  /** The thread, when it is there and the request may see it. */
  find(scope: Scope, threadId: string): Promise<Thread> {
    return findThread(this.options.log, scope, threadId);
  }

  infoOf(thread: Thread): ThreadInfo {
    const metadata = visibleMetadata(thread.metadata);
    return { ...thread, metadata, runs: openRunsOf(thread).map(({ runId }) => ({ runId })) };
  }
}

const utf8 = new TextEncoder();
