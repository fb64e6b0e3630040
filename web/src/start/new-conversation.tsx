import { useEffect, useState } from 'react';
import type { MessageBody } from '../../../src/protocols/http-api.ts';
import type { SetupInfo } from '../../../src/protocols/http-agents.ts';
import type { Address } from '../app/address.ts';
import type { PageProps } from '../app/page.ts';
import { TopBar } from '../app/top-bar.tsx';
import { ViewLink } from '../app/view-link.tsx';
import { Composer } from '../composer/composer.tsx';
import { createFindFiles } from '../composer/find-files.ts';
import { Logo } from '../parts/icons.tsx';
import { TrustNote } from '../projects/trust-note.tsx';
import { useProjects } from '../projects/use-projects.ts';
import { AddAgents } from './add-agents.tsx';
import { AgentCards } from './agent-cards.tsx';

interface NewConversationProps extends PageProps {
  /** Whether the agents are loaded. */
  readonly isLoaded: boolean;
  /** The agent to begin with. */
  readonly agent: string | undefined;
  readonly open: (address: Address) => void;
}

/** The first view: what this is, who can be asked, and one field to begin. Sending a message creates the conversation. */
export function NewConversation({ client, agents, isLoaded, agent, onMenu, open }: NewConversationProps) {
  const [chosen, setChosen] = useState(agent);
  const [setup, setSetup] = useState<SetupInfo>();
  const projects = useProjects();
  const folder = projects?.current?.folder;
  useEffect(() => setChosen(agent), [agent]);
  useEffect(() => {
    client.getSetup({ folder }).then(setSetup, () => {});
  }, [client, folder, agents]);

  const send = async (message: MessageBody) => {
    const { id } = await client.createThread(folder === undefined ? {} : { folder });
    await client.sendMessage(id, message);
    open({ section: 'thread', threadId: id });
  };
  const usual = agents.find(({ id }) => id === chosen) ?? agents[0];
  return (
    <main className="main">
      <TopBar title="New conversation" onMenu={onMenu} />
      <div className="scroll start">
        <div className="start-column">
          <div className="start-head">
            <Logo />
            <h2>What should be done?</h2>
            <p>
              Run any coding agent here. Every step goes into one log that you can watch, answer, stop, branch and come
              back to.
            </p>
          </div>
          <TrustNote projects={projects} />
          <Composer
            agents={agents}
            usual={{ agent: usual?.id }}
            running={false}
            findFiles={createFindFiles(client, undefined, folder)}
            onSend={send}
          />
          <AgentCards
            agents={agents}
            isLoaded={isLoaded}
            chosen={usual?.id}
            folder={setup?.folder}
            onChoose={setChosen}
            onSend={send}
          />
          {setup !== undefined && isLoaded && (
            <AddAgents setup={setup} hasCoder={agents.some(({ id }) => id === 'coder')} open={open} />
          )}
          {setup?.hasSessions === true && (
            <p className="start-history">
              <ViewLink to={{ section: 'sessions' }} open={open}>
                Bring your history
              </ViewLink>
              : import the sessions of your other agents, to search and continue them here.
            </p>
          )}
          <ul className="promises">
            <li>
              <strong>Nothing is hidden.</strong> Everything a model is sent and every call it makes is in the log; of
              external agents, what they report.
            </li>
            <li>
              <strong>Nothing is lost.</strong> Runs survive a reload and a restart; a deleted conversation can be
              brought back.
            </li>
            <li>
              <strong>One inbox.</strong> All agents ask in one place, and wait until you answer.
            </li>
          </ul>
        </div>
      </div>
    </main>
  );
}
