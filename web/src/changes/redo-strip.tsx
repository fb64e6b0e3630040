import { useEffect, useState } from 'react';
import * as z from 'zod';
import { RewindDialog } from './rewind-dialog.tsx';
import type { ThreadScope } from './thread-scope.ts';

const rewound = z.looseObject({ metadata: z.looseObject({ rewound: z.looseObject({ threadId: z.string() }) }) });

/** Offers a redo in a thread that an undo made; nothing in any other thread. */
export function RedoStrip({ scope }: { scope: ThreadScope }) {
  const { client, threadId } = scope;
  const [isUndone, setUndone] = useState(false);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    let isLeft = false;
    client.getThread(threadId).then(
      thread => !isLeft && setUndone(rewound.safeParse(thread).success),
      () => {},
    );
    return () => {
      isLeft = true;
    };
  }, [client, threadId]);
  if (!isUndone) return null;
  return (
    <p className="redo-strip">
      A turn was undone to get here.
      <button type="button" className="code-button" onClick={() => setShown(true)}>
        Redo
      </button>
      {isShown && <RewindDialog scope={scope} direction="redo" onClose={() => setShown(false)} />}
    </p>
  );
}
