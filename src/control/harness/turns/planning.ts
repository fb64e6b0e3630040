import type { HarnessMode } from '../harness-config.ts';
import type { Modes } from '../settings/modes.ts';
import type { Turn, Turns } from './turns.ts';

export interface PlanningOptions<State> {
  readonly modes: Modes<State>;
  readonly turns: Turns;
  /** Switches the mode. */
  readonly enterMode: (mode: HarnessMode<State>) => Promise<void>;
  /** Aborts the active run and switches the mode. */
  readonly switchMode: (modeId: string) => Promise<void>;
}

/** Switches from planning to the default mode when a plan is approved; the active run ends after its step. */
export class Planning<State> {
  readonly #options: PlanningOptions<State>;

  constructor(options: PlanningOptions<State>) {
    this.#options = options;
  }

  /** Finishes planning when `decided` resolves; restores the turn when it rejects. */
  async finish(decided: Promise<void>): Promise<void> {
    const { modes, turns, switchMode } = this.#options;
    const turn = modes.current === modes.default ? undefined : turns.current;
    if (turn === undefined) {
      await decided;
      return switchMode(modes.default.id);
    }
    this.#endAtStep(turn);
    try {
      await decided;
    } catch (error) {
      turn.endsAtStep = false;
      delete turn.atEnd;
      throw error;
    }
    await turns.ended();
  }

  /** Called when a plan was approved, in any process. */
  approved(): void {
    const { modes, turns } = this.#options;
    const turn = turns.current;
    if (turn !== undefined && !turn.endsAtStep && modes.current !== modes.default) this.#endAtStep(turn);
  }

  #endAtStep(turn: Turn): void {
    const { modes, enterMode } = this.#options;
    turn.endsAtStep = true;
    turn.atEnd = async () => {
      if (modes.current !== modes.default) await enterMode(modes.default);
    };
  }
}
