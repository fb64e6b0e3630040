import { ConversationReader } from '../../control/conversations/conversation-reader.ts';
import { standardOutput } from '../../control/standard-output.ts';
import type { LoggedEvent } from '../../events/index.ts';
import type { EventLog, Thread } from '../../log/index.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { screenStyle } from '../../terminal/screen/terminal-styling.ts';
import { RunScreen } from '../../terminal/session/run-screen.ts';
import { ThreadView } from '../../terminal/session/thread-view.ts';

/** How many events of a thread that is not followed are printed together. */
const drawnTogether = 1_000;

/** Prints the events of a thread at a terminal with the rows of the chat; what is open is redrawn while it is followed, and what waits for an answer is last. */
export async function showRows(
  log: EventLog,
  thread: Thread,
  events: AsyncIterable<LoggedEvent>,
  { follow = false }: { readonly follow?: boolean },
): Promise<void> {
  const cwd = (await new ConversationReader(log).digests.findStartFolder(thread)) ?? process.cwd();
  const { styling, isLive } = screenStyle(process.env);
  const view = await ThreadView.open(log, thread.id, 0);
  const screen = new RunScreen({ view, cwd, styling, isLive: isLive && follow });
  let undrawn = 0;
  for await (const event of events) {
    view.take(event);
    if (!follow && ++undrawn < drawnTogether) continue;
    screen.draw();
    undrawn = 0;
  }
  screen.close({ printsOpen: true });
  for (const { relay } of view.reading.pending)
    await standardOutput.write(`? ${presentRelay(relay, { cwd }).summary}\n`);
}
