import { useEffect, useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import type { RelayBody, RelayInfo } from '../../../src/protocols/http-api.ts';
import { type Address, writeAddress } from '../app/address.ts';
import { NotifyButton } from '../app/notify-button.tsx';
import type { PageProps } from '../app/page.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { TopBar } from '../app/top-bar.tsx';
import { Skeleton, ViewProblem } from '../parts/view-state.tsx';
import { useMinute } from '../parts/use-minute.ts';
import { useWhilePressed } from '../parts/use-while-pressed.ts';
import { RelayAnswers } from '../relays/relay-answers.ts';
import { useThreads } from '../threads/use-threads.ts';
import { Decisions } from './decisions.tsx';
import { InboxRow } from './inbox-row.tsx';
import { RelayDetail } from './relay-detail.tsx';
import { type Reminders, useReminders } from './reminders.ts';
import { useRelays } from './use-relays.ts';

interface InboxProps extends PageProps {
  readonly address: Address & { section: 'inbox' };
  readonly open: (address: Address) => void;
}

/** The pending relays of all agents and threads, and past decisions. */
export function Inbox({ client, agents, address, open, onMenu }: InboxProps) {
  const isHistory = address.view === 'history';
  return (
    <main className="main inbox">
      <TopBar title={isHistory ? 'Decisions' : 'Inbox'} onMenu={onMenu} />
      <div className="inbox-body">
        <nav className="tabs" aria-label="Inbox">
          <Tab address={{ section: 'inbox' }} isCurrent={!isHistory} open={open}>
            Waiting
          </Tab>
          <Tab address={{ section: 'inbox', view: 'history' }} isCurrent={isHistory} open={open}>
            Decided
          </Tab>
        </nav>
        {isHistory ? (
          <Decisions client={client} agents={agents} open={open} />
        ) : (
          <Waiting client={client} agents={agents} address={address} open={open} />
        )}
      </div>
    </main>
  );
}

interface TabProps {
  readonly address: Address;
  readonly isCurrent: boolean;
  readonly open: (address: Address) => void;
  readonly children: string;
}

function Tab({ address, isCurrent, open, children }: TabProps) {
  return (
    <a
      href={writeAddress(address)}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={event => {
        event.preventDefault();
        open(address);
      }}
    >
      {children}
    </a>
  );
}

function Waiting({ client, agents, address, open }: Omit<InboxProps, 'onMenu'>) {
  const { threads, state: listState } = useThreads();
  const { state, relays: waiting, problem, settle, restore, reload } = useRelays(client, threads, listState === 'live');
  const now = useMinute();
  const reminders = useReminders();
  const relays = useMemo(() => putOffLast(waiting, reminders), [waiting, reminders]);
  const { kept, isOpen, choose } = useChoice(relays, address, open);
  const list = useRef<VListHandle>(null);
  const folders = useMemo(() => new Map(threads.map(({ id, folder }) => [id, folder])), [threads]);
  const { shown, onPointerDown } = useWhilePressed(relays);
  const chosen = relays.find(({ id }) => id === address.relayId) ?? (isOpen ? kept : relays[0]);
  const at = relays.findIndex(({ id }) => id === chosen?.id);

  const move = (step: number) => {
    const next = relays[at < 0 ? 0 : Math.min(relays.length - 1, Math.max(0, at + step))];
    if (next === undefined) return;
    choose(next.id);
    list.current?.scrollToIndex(relays.indexOf(next), { align: 'nearest' });
  };
  const answer = useAnswerAndNext({ client, relays, settle, restore, choose });
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    o: () => {
      if (chosen !== undefined) open({ section: 'thread', threadId: chosen.threadId });
    },
    ...Object.fromEntries(['y', 'a', 't', 'c', 'r', 'e'].map(key => [key, () => press(key)])),
  });

  if (state === 'failed') return <ViewProblem problem={problem ?? 'The inbox cannot be loaded.'} onRetry={reload} />;
  if (state === 'loading') return <Skeleton label="Loading the inbox" />;
  if (chosen === undefined) return <Nothing />;
  return (
    <div className="inbox-panes" data-open={isOpen}>
      <section className="inbox-list" aria-label={`${relays.length} waiting`}>
        <VList ref={list} data={shown} onPointerDown={onPointerDown}>
          {info => (
            <InboxRow
              key={info.id}
              info={info}
              agents={agents}
              folder={folders.get(info.threadId)}
              now={now}
              until={findUntil(info, reminders)}
              isChosen={info.id === chosen.id}
              onChoose={choose}
            />
          )}
        </VList>
      </section>
      <RelayAnswers value={answer}>
        <RelayDetail
          key={chosen.id}
          client={client}
          info={chosen}
          agents={agents}
          folder={folders.get(chosen.threadId)}
          isGone={at < 0}
          open={open}
          onBack={() => open({ section: 'inbox' })}
          onPutOff={() => choose(relays.find(({ id }) => id !== chosen.id && relays.length > 1)?.id)}
        />
      </RelayAnswers>
    </div>
  );
}

interface AnswerAndNext extends Pick<ReturnType<typeof useRelays>, 'settle' | 'restore'> {
  readonly client: PageProps['client'];
  readonly relays: readonly RelayInfo[];
  readonly choose: (id: string | undefined) => void;
}

/**
 * Returns a callback that answers a relay and selects the next one; restores the relay when the server rejects the
 * answer.
 */
function useAnswerAndNext({ client, relays, settle, restore, choose }: AnswerAndNext) {
  return useMemo(
    () => async (relayId: string, body: RelayBody) => {
      const info = relays.find(({ id }) => id === relayId);
      if (info === undefined) return;
      const next = relays[relays.indexOf(info) + 1] ?? relays[relays.indexOf(info) - 1];
      settle(relayId);
      choose(next?.id);
      try {
        await client.answerRelay(info.threadId, relayId, body);
      } catch (error) {
        restore(relayId);
        choose(relayId);
        throw error;
      }
    },
    [choose, client, relays, restore, settle],
  );
}

/** Returns when a postponed relay is due; undefined when it is not postponed. */
function findUntil({ id }: RelayInfo, reminders: Reminders): number | undefined {
  const until = reminders[id];
  return until !== undefined && until > Date.now() ? until : undefined;
}

/** Sorts postponed relays last, the next due first. */
function putOffLast(relays: readonly RelayInfo[], reminders: Reminders): readonly RelayInfo[] {
  const until = (info: RelayInfo) => findUntil(info, reminders) ?? 0;
  return relays.toSorted((one, other) => until(one) - until(other));
}

/** The relay that is open; one that was answered elsewhere stays until another one is chosen. */
function useChoice(relays: readonly RelayInfo[], { relayId }: InboxProps['address'], open: InboxProps['open']) {
  const [kept, setKept] = useState<RelayInfo>();
  const found = relays.find(({ id }) => id === relayId);
  useEffect(() => {
    if (found !== undefined) setKept(found);
  }, [found]);
  const choose = useMemo(
    () => (id: string | undefined) => open({ section: 'inbox', ...(id !== undefined && { relayId: id }) }),
    [open],
  );
  return { kept: kept?.id === relayId ? kept : undefined, isOpen: relayId !== undefined, choose };
}

/** Presses the button of the open relay that has a key. */
function press(key: string): void {
  document.querySelector<HTMLElement>(`.relay-detail [data-key~="${key}"]:not(:disabled)`)?.click();
}

function Nothing() {
  return (
    <div className="empty">
      <h2>Nothing waits for you</h2>
      <p>
        When an agent asks for a permission, has a question or proposes a plan, it appears here, whichever conversation
        it is in.
      </p>
      <NotifyButton />
    </div>
  );
}
