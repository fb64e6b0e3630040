import type { Thread } from '../../../log/event-log.ts';
import type { HarnessMode } from '../harness-config.ts';
import type { Machine } from '../machine/shell.ts';
import type { Choices } from './choices.ts';
import type { Modes } from './modes.ts';

export interface ModeChangesOptions<State extends object> {
  readonly machine: Machine;
  readonly modes: Modes<State>;
  readonly choices: Choices<State>;
  /** Whether the agent of the current mode carries an approved plan out in the same run. */
  readonly carriesOutPlans: () => boolean;
  /** Returns the stored record of the open thread. */
  readonly thread: () => Promise<Thread | undefined>;
}

/** Changes the mode in the order of the calls and of the turns. */
export class ModeChanges<State extends object> {
  readonly #options: ModeChangesOptions<State>;

  constructor(options: ModeChangesOptions<State>) {
    this.#options = options;
  }

  /** Aborts the active run and switches the mode. */
  async switchMode(modeId: string): Promise<void> {
    const { machine, modes } = this.#options;
    const mode = modes.find(modeId);
    await machine.command(async () => {
      if (mode === modes.current) return;
      await machine.stop('stop');
      await this.#enter(mode);
    });
  }

  /** Switches to the default mode, because planning is finished. */
  async enterDefault(): Promise<void> {
    const { modes } = this.#options;
    if (modes.current !== modes.default) await this.#enter(modes.default);
  }

  /**
   * Ends the run after its step and switches to the default mode when `decided` resolves. The run continues if its
   * agent carries the plan out itself.
   */
  async finishPlanning(decided: Promise<void>): Promise<void> {
    const { machine, modes, carriesOutPlans } = this.#options;
    if (carriesOutPlans()) {
      await decided;
      return this.enterDefault();
    }
    if (modes.current === modes.default || machine.state.turn === undefined) {
      await decided;
      return this.switchMode(modes.default.id);
    }
    machine.dispatch({ type: 'plan_approved' });
    try {
      await decided;
    } catch (error) {
      machine.dispatch({ type: 'plan_undecided' });
      throw error;
    }
    await machine.over();
  }

  async #enter(mode: HarnessMode<State>): Promise<void> {
    const { choices, thread } = this.#options;
    await choices.switchMode(mode, (await thread())?.metadata);
  }
}
