import { useState } from 'react';
import { errorText } from '../../../src/base/error-text.ts';

/** Revokes a permission; shows the reason when that fails. */
export function RevokeButton({ onRevoke }: { readonly onRevoke: () => Promise<void> }) {
  const [problem, setProblem] = useState<string>();
  return (
    <>
      <button
        type="button"
        className="button"
        onClick={() => void onRevoke().catch((error: unknown) => setProblem(errorText(error)))}
      >
        Revoke
      </button>
      {problem !== undefined && (
        <p className="settings-result" role="alert" data-tone="bad">
          {problem}
        </p>
      )}
    </>
  );
}
