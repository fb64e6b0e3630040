import { useState } from 'react';
import type { RelayBody } from '../../../src/protocols/http-api.ts';
import { useRelayAnswer } from './relay-answers.ts';

/** Sends the answer to a relay once; shows an error and allows another attempt when it fails. */
export function useAnswerForm(relayId: string) {
  const answer = useRelayAnswer();
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = (body: RelayBody) => {
    setSending(true);
    answer(relayId, body).then(
      () => setProblem(undefined),
      (error: Error) => {
        setProblem(error.message);
        setSending(false);
      },
    );
  };
  return { sending, problem, submit };
}
