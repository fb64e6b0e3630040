import { type ActivityOptions, activityEncoder } from './activity-encoder.ts';
import { type AiSdkOptions, aiSdkEncoder, aiSdkFraming, type AiSdkVersion } from './ai-sdk/index.ts';
import { type Encoder, type Framing, ndjsonFraming, sseFraming } from './encoder.ts';
import { flowEncoder, type FlowOptions } from './flow/index.ts';

/** What is served and to whom; a protocol takes of it what it has a place for. */
export type ProtocolOptions = FlowOptions & Omit<AiSdkOptions, 'version'> & ActivityOptions;

/** A way to serve the log: how its events are encoded, and how that is written to a response. */
export interface Protocol {
  readonly framing: Framing;
  readonly encoder: (options?: ProtocolOptions) => Encoder<unknown>;
}

const aiSdk = (version: AiSdkVersion): Protocol => ({
  framing: aiSdkFraming,
  encoder: options => aiSdkEncoder({ ...options, version }),
});

/** Every protocol by its name. `events` is the log as it is. */
export const protocols = {
  flow: { framing: sseFraming, encoder: flowEncoder },
  'ai-sdk-5': aiSdk(5),
  'ai-sdk-6': aiSdk(6),
  'ai-sdk-7': aiSdk(7),
  activity: { framing: ndjsonFraming, encoder: activityEncoder },
  events: { framing: ndjsonFraming, encoder: () => ({ encode: event => [event], end: () => [] }) },
} as const satisfies Record<string, Protocol>;

export type ProtocolName = keyof typeof protocols;

/** The protocol of a name, or undefined when there is none. */
export function protocolNamed(name: string): Protocol | undefined {
  return Object.hasOwn(protocols, name) ? protocols[name as ProtocolName] : undefined;
}
