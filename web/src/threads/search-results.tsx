import type { Client } from '../../../src/client/client.ts';
import type { AgentInfo } from '../../../src/protocols/http-agents.ts';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { type Address, writeAddress } from '../app/address.ts';
import { getAgentName } from '../parts/agent-name.ts';
import { MarkedText } from '../parts/marked-text.tsx';
import { ThreadRow } from './thread-row.tsx';
import { useSearch } from './use-search.ts';
import { getTitle } from './use-threads.ts';

interface SearchResultsProps {
  readonly client: Client;
  readonly agents: readonly AgentInfo[];
  readonly typed: string;
  readonly now: number;
  readonly current: string | undefined;
  readonly open: (address: Address) => void;
  readonly onMenu: (thread: ThreadInfo, anchor: HTMLElement) => void;
}

/** The results of a search: threads by title, then messages. */
export function SearchResults({ client, agents, typed, now, current, open, onMenu }: SearchResultsProps) {
  const found = useSearch(client, typed);
  const count = found === undefined ? undefined : found.threads.length + found.hits.length;
  return (
    <div className="search-results">
      <p className="unseen" role="status">
        {count === undefined ? 'Searching…' : count === 1 ? 'One result' : `${count} results`}
      </p>
      {count === 0 && <p className="list-notice">Nothing found for “{found?.text}”.</p>}
      {found?.threads.map(thread => (
        <ThreadRow
          key={thread.id}
          thread={thread}
          agent={getAgentName(agents, thread)}
          isCurrent={thread.id === current}
          isUnread={false}
          now={now}
          onOpen={threadId => open({ section: 'thread', threadId })}
          onMenu={onMenu}
        />
      ))}
      {found !== undefined && found.hits.length > 0 && <h2 className="thread-heading">In messages</h2>}
      {found?.hits.map(hit => {
        const address: Address = {
          section: 'thread',
          threadId: hit.threadId,
          ...(hit.seq !== undefined && { at: hit.seq }),
          find: found.text,
        };
        return (
          <a
            key={`${hit.threadId} ${hit.messageId} ${hit.seq}`}
            className="search-hit"
            href={writeAddress(address)}
            onClick={event => {
              event.preventDefault();
              open(address);
            }}
          >
            <span className="thread-title">
              <bdi>{getTitle(hit)}</bdi>
            </span>
            <span className="snippet">
              <MarkedText text={hit.snippet} words={found.text} />
            </span>
          </a>
        );
      })}
    </div>
  );
}
