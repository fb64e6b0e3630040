import { type Framing, sseFraming } from '../framing.ts';
import type { AgUiEvent } from './ag-ui-event.ts';

/** Server-sent events as AG-UI clients read them: a stream that fails ends with RUN_ERROR, because they ignore other ends. */
export const agUiFraming: Framing = {
  ...sseFraming,
  problem: ({ detail, code }) => {
    const event: AgUiEvent = { type: 'RUN_ERROR', message: detail, code };
    return sseFraming.frame(JSON.stringify(event));
  },
};
