import '../styles/folder-dialogs.css';
import { useState } from 'react';
import { errorText } from '../../../src/base/error-text.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { BranchBody } from '../../../src/protocols/http-api.ts';
import { AgentPickers, useAgentChoice } from '../composer/agent-pickers.tsx';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { WorktreeCheck } from '../parts/worktree-check.tsx';

interface BranchDialogProps {
  readonly agents: readonly AgentInfo[];
  /** The agent of the conversation; the dialog preselects another one, if there is one. */
  readonly agent: string | undefined;
  /** Makes the branch; rejects when it cannot. */
  readonly onBranch: (send: NonNullable<BranchBody['send']>) => Promise<void>;
  readonly onClose: () => void;
}

/** Branches the conversation at a message, with any agent; the messages after it remain in their own branch. */
export function BranchDialog({ agents, agent, onBranch, onClose }: BranchDialogProps) {
  const other = agents.find(({ id }) => id !== agent)?.id ?? agent;
  const choice = useAgentChoice(agents, { agent: other });
  const [text, setText] = useState('');
  const [isApart, setApart] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const branch = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onBranch({ ...choice.chosen, content: text.trim(), ...(isApart && { worktree: true }) });
      onClose();
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog label="Branch here into …" onClose={onClose}>
      <div className="branch-dialog">
        <div className="branch-pickers">
          <AgentPickers choice={choice} disabled={isBusy} />
        </div>
        <label>
          Next message
          <textarea
            className="field"
            rows={3}
            value={text}
            placeholder="What should be done from here?"
            onChange={event => setText(event.target.value)}
          />
        </label>
        <WorktreeCheck isChecked={isApart} onChange={setApart} />
        <DialogActions
          problem={problem}
          label="Branch and send"
          isDisabled={isBusy || text.trim() === ''}
          onAct={() => void branch()}
          onClose={onClose}
        />
      </div>
    </Dialog>
  );
}
