interface WorktreeCheckProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** Whether the agent gets a copy of the folder to work in, so that two continuations do not disturb each other. */
export function WorktreeCheck({ isChecked, onChange }: WorktreeCheckProps) {
  return (
    <label
      className="check"
      title="A branch of this conversation, in a copy of its folder: your files stay as they are"
    >
      <input type="checkbox" checked={isChecked} onChange={event => onChange(event.target.checked)} /> In a worktree of
      its own
    </label>
  );
}
