import { type FormEvent, useState } from 'react';
import type { PageProps } from '../app/page.ts';
import { errorText } from '../../../src/base/error-text.ts';
import { useProjects } from '../projects/use-projects.ts';

type CompareStartProps = Pick<PageProps, 'client' | 'agents'> & {
  readonly onStarted: (threads: readonly string[]) => void;
};

/** The form that sends one request to several agents, each in a separate thread. */
export function CompareStart({ client, agents, onStarted }: CompareStartProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [uncommitted, setUncommitted] = useState(true);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const project = useProjects()?.current;
  const place = project === undefined ? {} : { folder: project.folder };
  const start = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      const agentList = chosen.map(agent => ({ agent }));
      const { runs } = await client.startComparison({ content: text, agents: agentList, uncommitted, ...place });
      onStarted(runs.map(({ threadId }) => threadId));
    } catch (error) {
      setProblem(errorText(error));
      setBusy(false);
    }
  };
  const toggle = (id: string) =>
    setChosen(before => (before.includes(id) ? before.filter(each => each !== id) : [...before, id]));
  return (
    <form className="compare-start" onSubmit={event => void start(event)}>
      <h2>Ask several agents the same</h2>
      <label>
        Request
        <textarea
          className="field"
          rows={4}
          value={text}
          onChange={event => setText(event.target.value)}
          placeholder="What should be done?"
        />
      </label>
      <fieldset className="compare-agents">
        <legend>Agents</legend>
        {agents.map(({ id, name }) => (
          <label key={id}>
            <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} /> {name}
          </label>
        ))}
      </fieldset>
      <label className="check">
        <input type="checkbox" checked={uncommitted} onChange={event => setUncommitted(event.target.checked)} /> Begin
        with my uncommitted changes
      </label>
      <p className="view-note">
        {project !== undefined && (
          <>
            In <code>{project.folder}</code>.{' '}
          </>
        )}
        In a git repository each agent works in a worktree of its own, on its own branch: your files stay as they are
        until you keep the changes of one. Nothing is committed.
      </p>
      {problem !== undefined && (
        <p className="notice" role="alert" data-level="error">
          {problem}
        </p>
      )}
      <button type="submit" className="button primary" disabled={isBusy || text.trim() === '' || chosen.length < 2}>
        {chosen.length < 2 ? 'Choose two or more agents' : `Start ${chosen.length} agents`}
      </button>
    </form>
  );
}
