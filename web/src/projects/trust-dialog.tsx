import '../styles/diff.css';
import '../styles/folder-dialogs.css';
import { useState } from 'react';
import { errorText } from '../../../src/base/error-text.ts';
import type { ProjectInfo } from '../../../src/protocols/http-folders.ts';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import type { Projects } from './use-projects.ts';

/** Asks whether to trust the configuration of a project, with the text that the terminal shows. */
export function TrustDialog({ project, projects }: { project: ProjectInfo; projects: Projects }) {
  const [problem, setProblem] = useState<string>();
  const [isSent, setSent] = useState(false);
  const close = () => projects.ask(undefined);
  const trust = async () => {
    setSent(true);
    try {
      await projects.trust(project);
      close();
    } catch (error) {
      setProblem(errorText(error));
      setSent(false);
    }
  };
  const { question = '', lines = [] } = project.trust ?? {};
  return (
    <Dialog label={question} onClose={close}>
      <div className="trust">
        <pre tabIndex={0}>{lines.join('\n')}</pre>
        <p>Until you do, none of this has an effect, and the programs that agents start get few of your variables.</p>
        <DialogActions
          problem={problem}
          label="Trust"
          isDisabled={isSent}
          onAct={() => void trust()}
          cancelLabel="Not now"
          onClose={close}
        />
      </div>
    </Dialog>
  );
}
