import type { ActivityOptions } from './activity-encoder.ts';
import type { AiSdkOptions } from './ai-sdk/ai-sdk-encoder.ts';
import type { Encoder } from './encoder.ts';
import type { FlowOptions } from './flow/flow-encoder.ts';
import type { Framing } from './framing.ts';

/** The options of all encoders; each encoder reads the ones that it supports. */
export type ProtocolOptions = FlowOptions &
  Omit<AiSdkOptions, 'version'> &
  ActivityOptions & {
    /** One of the protocol's `versions`. */
    readonly version?: string | undefined;
  };

/** A way to serve the log over HTTP; all that the server needs of the protocol. */
export interface Protocol {
  /** Describes in a few words what is sent, for the HTTP reference. */
  readonly description: string;
  /** `request`: one requested run, then the stream ends. `thread`: all events until the reader disconnects. */
  readonly covers: 'request' | 'thread';
  readonly framing: Framing;
  /** Creates the encoder of one reader; returns a promise when its module is loaded on demand. */
  readonly encoder: (options?: ProtocolOptions) => Encoder<unknown> | Promise<Encoder<unknown>>;
  /** The versions a reader may ask for, oldest first; the newest is served when it names none. */
  readonly versions?: readonly string[];
  /** Set when each event is sent as it is and nothing else: then all readers of a thread share its frames. */
  readonly isVerbatim?: boolean;
  /** Set when its encoder uses `lineOf`: then raw lines of external agents are read with the events. */
  readonly usesRawLines?: boolean;
}
