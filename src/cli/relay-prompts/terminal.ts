import { SingletreeError } from '../../events/index.ts';
import { editInEditor } from '../../terminal/session/external-editor.ts';
import { standardOutput } from '../../control/standard-output.ts';

/** Where a person is asked. */
export interface Terminal {
  write(text: string): void;
  /** Writes what the renderer drew, with its styles. */
  draw(text: string): void;
  /**
   * Returns the line that a person enters; undefined when the person ended the input (Ctrl-D). Rejects when the signal
   * aborts, and when no more input can come.
   */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Lets a person edit a text; returns it, or undefined when the editor failed. */
  edit(text: string): Promise<string | undefined>;
}

/** The terminal of this process; `interrupt` is called for Ctrl-C during a question. */
export function processTerminal(interrupt: () => void): Terminal {
  return {
    write: text => void standardOutput.write(text),
    draw: text => void standardOutput.writeDrawn(text),
    ask: async (prompt, signal) => {
      const entered = await standardOutput.ask(prompt, { signal, onInterrupt: interrupt });
      if (entered === undefined && process.stdin.readableEnded) throw inputEnded();
      return entered;
    },
    edit: text => editInEditor(text, 'input.json'),
  };
}

function inputEnded(): SingletreeError {
  return new SingletreeError(
    'not_supported',
    'The input of this terminal has ended. It still waits: answer with `singletree inbox`.',
  );
}
