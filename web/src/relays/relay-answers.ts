import { createContext, useContext } from 'react';
import type { RelayBody } from '../../../src/protocols/http-api.ts';

type Answer = (relayId: string, answer: RelayBody) => Promise<void>;

/** Provides the answer callback to the cards below it. */
export const RelayAnswers = createContext<Answer>(() => Promise.reject(new Error('no provider')));

/** Returns the callback that answers a relay of the conversation. */
export function useRelayAnswer(): Answer {
  return useContext(RelayAnswers);
}
