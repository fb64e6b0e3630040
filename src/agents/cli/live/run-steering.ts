import type { AgentEvent } from '../../../events/vocabulary.ts';
import { newId } from '../../../events/ids.ts';
import type { Steering } from '../../contract/host.ts';
import type { LiveAbilities, LiveChannel } from '../contract/live-channel.ts';
import type { TurnMessages } from './turn-messages.ts';

interface RunSteeringOptions {
  readonly runId: string;
  /** The name of the program, for people. */
  readonly name: string;
  readonly abilities: LiveAbilities;
  readonly steering: Steering | undefined;
  readonly messages: TurnMessages;
  /** Emits an event; resolves when it is stored. */
  readonly put: (event: AgentEvent) => Promise<void>;
  /** The channel of the program, while it runs. */
  readonly channel: () => LiveChannel | undefined;
  /** Whether a turn is open, or its session is being opened. */
  readonly isInTurn: () => boolean;
  /** Whether the session of the turn is being opened: the program has no prompt yet. */
  readonly isOpening: () => boolean;
}

/** Brings messages of people and notes of the driver into the open turn, or keeps them for the next prompt. */
export class RunSteering {
  readonly #options: RunSteeringOptions;

  constructor(options: RunSteeringOptions) {
    this.#options = options;
  }

  /** Passes on what people wrote since; a message that the program cannot take now waits for the end of the turn. */
  take(): void {
    const { abilities, channel, isInTurn, isOpening, messages, name, steering } = this.#options;
    // What comes while the session is being opened is taken after the prompt.
    if (isOpening() || (!isInTurn() && channel() === undefined)) return;
    for (const message of steering?.take() ?? []) {
      if (isInTurn() && abilities.steer === 'joins') {
        messages.steer(message);
        channel()?.steer(message);
      } else {
        messages.wait(message);
        if (isInTurn()) this.#warn(`${name} takes no messages during a turn: it receives the message after it.`);
      }
    }
  }

  /** Gives the model a note of the driver: into the turn, or as the next prompt. */
  inform(note: string, way: 'steer' | 'next_prompt'): void {
    const { channel, messages } = this.#options;
    if (way === 'next_prompt') {
      messages.note(note);
      return;
    }
    const id = newId();
    messages.steerNote(id, note);
    channel()?.steer({ id, content: note });
  }

  /** Reports that a steered message has reached the model, or waits in the program. */
  steered(messageId: string, delivery: 'joined' | 'queued'): void {
    const { messages, name, put } = this.#options;
    if (delivery === 'joined') {
      const message = messages.joined(messageId);
      if (message !== undefined) void put(message);
    } else if (messages.isSteered(messageId))
      this.#warn(`${name} reads the message when it has finished what it is writing.`);
  }

  #warn(message: string): void {
    const { put, runId } = this.#options;
    void put({ type: 'warning', runId, message, code: 'steer_queued' });
  }
}
