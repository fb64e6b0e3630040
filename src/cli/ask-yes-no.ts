import { standardError } from '../control/standard-output.ts';

/** Whether a person can be asked on the terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY && standardError.isTerminal;
}

/** Asks a question on the terminal; everything but "y" and "yes" means no. */
export async function askYesNo(question: string): Promise<boolean> {
  const onInterrupt = () => process.kill(process.pid, 'SIGINT');
  return /^y(es)?$/i.test(((await standardError.ask(`${question} [y/N] `, { onInterrupt })) ?? '').trim());
}
