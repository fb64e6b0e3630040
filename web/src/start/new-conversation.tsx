import { useState } from 'react';
import type { AgentInfo, MessageBody } from '../../../src/protocols/index.ts';
import { Composer } from '../composer/composer.tsx';
import { Logo } from '../parts/icons.tsx';
import type { PageProps } from '../app/page.ts';
import { TopBar } from '../app/top-bar.tsx';

/** The page before the first message; sending it creates the conversation. */
export function NewConversation({
  client,
  agents,
  onMenu,
  onStarted,
}: PageProps & { onStarted: (id: string) => void }) {
  const send = async (message: MessageBody) => {
    const { id } = await client.createThread();
    await client.sendMessage(id, message);
    onStarted(id);
  };
  return (
    <main className="main">
      <TopBar title="New conversation" onMenu={onMenu} />
      <div className="welcome">
        <Logo />
        <h1>What should be done?</h1>
        <p>Every step of every agent goes into one log: watch it, answer it, stop it, come back to it.</p>
        <Suggestions agent={agents[0]} onSend={send} />
      </div>
      <div className="foot">
        <Composer agents={agents} running={false} onSend={send} />
      </div>
    </main>
  );
}

/** Suggested first prompts for an agent. */
function Suggestions({
  agent,
  onSend,
}: {
  agent: AgentInfo | undefined;
  onSend: (message: MessageBody) => Promise<void>;
}) {
  const [sent, setSent] = useState(false);
  if (agent?.suggestions === undefined) return null;
  const ask = (content: string) => {
    setSent(true);
    onSend({ content, agent: agent.id }).catch(() => setSent(false));
  };
  return (
    <ul className="suggestions" aria-label={`Ask ${agent.name}`}>
      {agent.suggestions.map(text => (
        <li key={text}>
          <button type="button" disabled={sent} onClick={() => ask(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
