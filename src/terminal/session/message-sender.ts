import { errorText, isStoreUnavailable, SingletreeError } from '../../events/index.ts';
import type { Submission } from '../composer/composer.ts';
import { attachedFiles } from './attached-files.ts';
import type { ChatApp } from './chat-app.ts';
import { mentionedFiles } from './mentioned-files.ts';

/** Sends the messages of a person, and notes the one that is not in its thread yet. */
export class MessageSender {
  readonly #app: ChatApp;
  #unsent: { readonly text: string; readonly since: number } | undefined;

  constructor(app: ChatApp) {
    this.#app = app;
  }

  /** The message that waits for its thread or its store, and how long it has waited; undefined when none does. */
  get waiting(): { readonly text: string; readonly ms: number } | undefined {
    if (this.#unsent === undefined) return undefined;
    const { text, since } = this.#unsent;
    return { text, ms: this.#app.options.clock.now() - since };
  }

  /** Sends a message with the files it mentions: to the turn that runs, at its next safe point or when it has ended, else as a new turn. */
  async send(
    text: string,
    attachments: Submission['attachments'],
    delivery: 'steer' | 'follow_up' = 'steer',
  ): Promise<void> {
    const app = this.#app;
    const files = await attachedFiles([...attachments, ...(await mentionedFiles(text, app.options.cwd))]);
    const unsent = app.isRunning ? undefined : { text, since: app.options.clock.now() };
    this.#unsent = unsent;
    let unwatch: (() => void) | undefined;
    const end = () => {
      unwatch?.();
      if (this.#unsent === unsent) this.#unsent = undefined;
    };
    const fail = (error: unknown) => {
      end();
      // The thread shows what the next owner of the run does.
      if (SingletreeError.is(error, 'run_detached')) return;
      app.note(errorText(error), 'error');
      // A message that could not be stored returns to the composer.
      if (isStoreUnavailable(error) && app.draft.isEmpty) app.draft.replace(text);
      app.screen.request();
    };
    try {
      await app.ensureThread(text);
    } catch (error) {
      return fail(error);
    }
    unwatch = app.host.follower?.watch(({ type }) => void (type === 'user' && end()));
    const message = { content: text, ...(files.length > 0 && { files }) };
    const { harness } = app.host;
    void (delivery === 'follow_up' ? harness.followUp(message) : harness.sendMessage(message)).then(end, fail);
  }
}
