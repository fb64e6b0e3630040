import type { Conversation } from '../../graph/conversation/conversation.ts';
import { defaultActive } from '../../graph/conversation/active.ts';
import { getBufferedFrom } from '../../graph/conversation/queries.ts';
import { ModelInput } from '../../projections/model-input/model-input.ts';
import { RunInput } from '../../projections/model-input/run-input.ts';
import type { MemorySettings, MemoryStatus } from '../contract/memory.ts';
import { memoryContents } from './memory-contents.ts';
import { statusOf } from './memory-status.ts';

/** Returns how full the memory of a thread is between two runs. */
export async function threadMemoryStatus(conversation: Conversation, memory: MemorySettings): Promise<MemoryStatus> {
  const branch = new ModelInput();
  const history = branch.of(conversation, defaultActive(conversation));
  const input = new RunInput({ runId: '', history, spans: branch.spans(conversation) });
  const contents = await memoryContents(input, from => getBufferedFrom(conversation, from).map(({ event }) => event));
  return statusOf(memory, contents, { runId: '', step: 0, working: undefined });
}
