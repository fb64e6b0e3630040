import type { Client } from '../../../src/client/client.ts';
import { timeAgo } from '../../../src/projections/presentation/wording.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { RelayInfo } from '../../../src/protocols/http-api.ts';
import { type Address, writeAddress } from '../app/address.ts';
import { FolderContext } from '../parts/folder-path.ts';
import { BackIcon } from '../parts/icons.tsx';
import { useMinute } from '../parts/use-minute.ts';
import { RelayPanel } from '../relays/relay-card.tsx';
import { SuggestedRuleCard } from '../relays/suggested-rule.tsx';
import { useAnswerForm } from '../relays/use-answer-form.ts';
import { NotNow } from './not-now.tsx';
import { relayIn } from '../relays/relay-summary.ts';
import { getTitle } from '../threads/use-threads.ts';
import { agentName } from '../parts/agent-name.ts';

interface RelayDetailProps {
  readonly client: Client;
  readonly info: RelayInfo;
  readonly agents: readonly AgentInfo[];
  /** The folder that its thread works in. */
  readonly folder: string | undefined;
  /** Whether it was answered elsewhere in the meantime. */
  readonly isGone: boolean;
  readonly open: (address: Address) => void;
  /** Returns to the list on a narrow screen. */
  readonly onBack: () => void;
  /** Called after the relay was postponed. */
  readonly onPutOff: () => void;
}

/** One relay with everything that a decision needs, and its answers. */
export function RelayDetail({ client, info, agents, folder, isGone, open, onBack, onPutOff }: RelayDetailProps) {
  const { problem, submit } = useAnswerForm(info.id);
  const now = useMinute();
  const { threadId, since } = info;
  const relay = relayIn(info);
  const address: Address = { section: 'thread', threadId };
  return (
    <section className="relay-detail" aria-label="What is asked">
      <header className="relay-head">
        <button type="button" className="icon-button back" aria-label="Back to the list" onClick={onBack}>
          <BackIcon />
        </button>
        <div>
          <h2>{agentName(agents, info.agentId)} asks</h2>
          <p className="thread-facts">
            {'in '}
            <a
              href={writeAddress(address)}
              onClick={event => {
                event.preventDefault();
                open(address);
              }}
            >
              <bdi>{getTitle(info)}</bdi>
            </a>
            {since !== undefined && (
              <>
                {', asked '}
                <time dateTime={since} title={new Date(since).toLocaleString()}>
                  {timeAgo(since, now)}
                </time>
              </>
            )}
          </p>
        </div>
      </header>
      {isGone ? (
        <p className="notice" role="status">
          This was answered elsewhere, or its run ended. See “Decided”.
        </p>
      ) : (
        <FolderContext value={folder}>
          <RelayPanel relay={{ kind: 'relay', id: relay.id, relay, status: 'pending' }} agentId={info.agentId} />
          <SuggestedRuleCard client={client} relay={relay} onAnswer={submit} />
          {problem !== undefined && (
            <p className="card-line" data-tone="bad" role="alert">
              {problem}
            </p>
          )}
          <NotNow relayId={info.id} onPutOff={onPutOff} />
        </FolderContext>
      )}
    </section>
  );
}
