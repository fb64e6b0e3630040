import type { WireRecord } from '../../shared/wire-value.ts';

/** A request of the program; it is answered once, later answers do nothing. */
export interface AcpRequest {
  readonly method: string;
  readonly params: WireRecord;
  respond(result: object): void;
  refuse(code: number, message: string): void;
}
