import type { ChannelHost } from '../../../contract/live-channel.ts';
import { toList, toRecord, type WireRecord } from '../../../shared/wire-value.ts';

/** How long a failed run may take to announce that it is tried again, in versions without `agent_settled`. */
const graceMs = 300;

/**
 * Finds the end of a run: `agent_settled`; in versions without it an `agent_end` after which nothing is tried again.
 */
export class RunEnd {
  readonly #host: Pick<ChannelHost, 'after'>;
  readonly #ended: () => void;
  #cancel: () => void = () => {};
  #isCompacting = false;

  constructor(host: Pick<ChannelHost, 'after'>, ended: () => void) {
    this.#host = host;
    this.#ended = ended;
  }

  take(record: WireRecord): void {
    const { type } = record;
    if (type === 'agent_settled') this.#end();
    else if (type === 'agent_start' || type === 'auto_retry_start') this.stop();
    else if (type === 'compaction_start' || type === 'auto_compaction_start') {
      this.#isCompacting = true;
      this.stop();
    } else if ((type === 'compaction_end' || type === 'auto_compaction_end') && this.#isCompacting) {
      this.#isCompacting = false;
      if (record['willRetry'] !== true && this.#hasEnded) this.#wait();
    } else if (type === 'agent_end') this.#agentEnded(record);
    else if (type === 'auto_retry_end' && record['success'] === false && this.#hasEnded) this.#wait();
  }

  /** Stops waiting. */
  stop(): void {
    this.#cancel();
    this.#cancel = () => {};
  }

  /** Whether a run without `agent_settled` has reported an end. */
  #hasEnded = false;

  #agentEnded(record: WireRecord): void {
    // Versions that report whether they try again also report when they have settled.
    if (record['willRetry'] !== undefined) return;
    this.#hasEnded = true;
    const last = toRecord(toList(record['messages']).at(-1));
    if (last?.['stopReason'] === 'error') this.#wait();
    else this.#end();
  }

  #wait(): void {
    this.stop();
    this.#cancel = this.#host.after(graceMs, () => this.#end());
  }

  #end(): void {
    this.stop();
    this.#ended();
  }
}
