import type { ChannelHost } from '../../contract/live-channel.ts';
import type { WireRecord } from '../../shared/wire-value.ts';
import type { RpcConnection } from '../json-rpc.ts';
import type { AcpRequest } from './request.ts';

/** Sends user messages into the open turn, for which the protocol itself has no method. */
export interface AcpSteering {
  steer(id: string, blocks: readonly WireRecord[]): void;
  /** Reads an update of the session. */
  observe?(update: WireRecord): void;
  /** Answers a program that fetches messages; returns whether the request was that. */
  take?(request: AcpRequest): boolean;
  /** Returns the messages that the turn did not take, and forgets them. */
  end(): readonly string[];
}

/** The parts of the channel that steering uses. */
export interface SteeringChannel {
  readonly rpc: Pick<RpcConnection, 'call'>;
  readonly host: Pick<ChannelHost, 'steered'>;
  readonly sessionId: () => string;
}

/** Keeps every message for the next prompt. */
export class NextPromptSteering implements AcpSteering {
  readonly #channel: SteeringChannel;
  #unsent: string[] = [];

  constructor(channel: SteeringChannel) {
    this.#channel = channel;
  }

  steer(id: string, _blocks: readonly WireRecord[]): void {
    this.#unsent.push(id);
    this.#channel.host.steered(id, 'queued');
  }

  end(): readonly string[] {
    return this.#unsent.splice(0);
  }
}
