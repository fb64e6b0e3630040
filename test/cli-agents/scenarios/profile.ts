import type { LiveAdapter } from '../../../src/agents/cli/contract/live-channel.ts';
import type { ModelScript, ScriptedPart, ScriptedTurn } from '../../../src/agents/model/scripted/script.ts';
import type { ScriptedRequest } from '../../../src/agents/model/scripted/scripted-request.ts';
import type { LiveScene } from '../support/live-scene.ts';
import type { Scenario } from './scenario.ts';

/** A turn of the model that may depend on what it was asked. */
export type Turn = ScriptedTurn | ((request: ScriptedRequest) => ScriptedTurn);

/** How the model of a program calls its tools, and which scenarios do not apply to the program. */
export interface Profile {
  /** The name of its adapter. */
  readonly agent: string;
  /** Its versions, as `real-program.ts` names them. */
  readonly versions: readonly string[];
  readonly live: LiveAdapter;
  readonly shell: (command: string) => ScriptedPart[];
  /** The tool that a shell call is reported as. */
  readonly tool: string;
  /** Writes a file with the line `hi`. */
  readonly write?: (path: string) => ScriptedPart[];
  /** Whether a request about a file has its diff. */
  readonly showsDiff?: boolean;
  /** Changes the folder of a scene before the program starts. */
  readonly prepare?: (live: LiveScene) => void;
  /** What the program requests beside the conversation, with tools. */
  readonly aside?: RegExp;
  /** The script that calls the shell twice at once: `touch one.txt` and `touch two.txt`. Default: in one message. */
  readonly twoRequests?: ModelScript;
  /** Starts a subagent with a task, or is the whole script of a run with one that runs `touch sub.txt`. */
  readonly subagent?: ((task: string) => ScriptedPart[]) | { readonly script: ModelScript; readonly model: string };
  /** The turns of a run that asks a question, has a plan approved, and runs `touch painted.txt`. */
  readonly planning?: Planning;
  /** A model to which the program sends images, where it leaves them out for unknown ones. */
  readonly visionModel?: string;
  /** The scenarios that do not apply, with the reason. */
  readonly without: Readonly<Partial<Record<Scenario, string>>>;
}

interface Planning {
  readonly mode?: string;
  readonly turns: readonly Turn[];
  /** Whether the first plan is rejected, so that a second one follows. */
  readonly rejects?: boolean;
}
