import { Skeleton } from '../parts/view-state.tsx';
import { useState } from 'react';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { MessageBody } from '../../../src/protocols/http-api.ts';

interface AgentCardsProps {
  readonly agents: readonly AgentInfo[];
  readonly isLoaded: boolean;
  readonly chosen: string | undefined;
  /** The folder that agents work in. */
  readonly folder: string | undefined;
  readonly onChoose: (agentId: string) => void;
  readonly onSend: (message: MessageBody) => Promise<void>;
}

/** The agents that were found, in the order of the server; one with suggestions can be tried with a click. */
export function AgentCards({ agents, isLoaded, chosen, folder, onChoose, onSend }: AgentCardsProps) {
  if (!isLoaded) return <Skeleton label="Loading" />;
  return (
    <section className="start-section">
      <h2>
        Agents found here
        {folder !== undefined && (
          <>
            , working in <code>{folder}</code>
          </>
        )}
      </h2>
      <ul className="agent-cards">
        {agents.map(agent => (
          <AgentCard key={agent.id} agent={agent} isChosen={agent.id === chosen} onChoose={onChoose} onSend={onSend} />
        ))}
      </ul>
      {agents.length === 0 && <p className="list-notice">No agent can be reached. Is the server running?</p>}
    </section>
  );
}

interface AgentCardProps {
  readonly agent: AgentInfo;
  readonly isChosen: boolean;
  readonly onChoose: (agentId: string) => void;
  readonly onSend: (message: MessageBody) => Promise<void>;
}

function AgentCard({ agent, isChosen, onChoose, onSend }: AgentCardProps) {
  const { id, name, description, models = [], suggestions = [] } = agent;
  const [isSent, setSent] = useState(false);
  const ask = (content: string) => {
    setSent(true);
    onSend({ content, agent: id }).catch(() => setSent(false));
  };
  return (
    <li className="agent-card" data-chosen={isChosen}>
      <button type="button" className="agent-choice" aria-pressed={isChosen} onClick={() => onChoose(id)}>
        <strong>{name}</strong>
        {description !== undefined && <span>{description}</span>}
        {models.length > 0 && <span className="agent-models">{modelText(models)}</span>}
      </button>
      {suggestions.length > 0 && (
        <ul className="suggestions" aria-label={`Ask ${name}`}>
          {suggestions.map(text => (
            <li key={text}>
              <button type="button" disabled={isSent} onClick={() => ask(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The first models by name, and how many more there are. */
function modelText(models: readonly string[]): string {
  const shown = models.slice(0, 2).map(model => model.split('/').at(-1));
  const rest = models.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
