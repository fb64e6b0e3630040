import { type AcpSteering, NextPromptSteering, type SteeringChannel } from '../../channels/acp/steering.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';

/** Sends messages into the run of Goose by its own method; when it has none open, they wait for the next prompt. */
export class GooseSteering implements AcpSteering {
  readonly #channel: SteeringChannel;
  readonly #later: NextPromptSteering;
  /** The run that a message can join. */
  #runId: string | undefined;
  /** Messages that it has accepted for its next model call: it drops them when it is stopped before. */
  #unread: string[] = [];
  /** The message of the last model call. */
  #messageId: string | undefined;

  constructor(channel: SteeringChannel) {
    this.#channel = channel;
    this.#later = new NextPromptSteering(channel);
  }

  steer(id: string, prompt: readonly WireRecord[]): void {
    const { rpc, host, sessionId } = this.#channel;
    if (this.#runId === undefined) return this.#later.steer(id, prompt);
    const params = { sessionId: sessionId(), expectedRunId: this.#runId, prompt };
    rpc.call('_goose/unstable/session/steer', params, ({ error }) => {
      if (error !== undefined) return this.#later.steer(id, prompt);
      this.#unread.push(id);
      host.steered(id, 'joined');
    });
  }

  /** Registers the run that is named in an update, and the model call that it belongs to. */
  observe(update: WireRecord): void {
    const goose = toRecord(toRecord(update['_meta'])?.['goose']);
    const messageId = toText(goose?.['messageId']);
    if (messageId !== undefined && messageId !== this.#messageId) {
      this.#messageId = messageId;
      this.#unread = [];
    }
    if (update['sessionUpdate'] === 'session_info_update' && goose !== undefined && 'activeRunId' in goose)
      this.#runId = toText(goose['activeRunId']);
  }

  end(): readonly string[] {
    return [...this.#unread.splice(0), ...this.#later.end()];
  }
}
