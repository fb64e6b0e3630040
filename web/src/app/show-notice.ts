import type { RelayInfo } from '../../../src/protocols/http-api.ts';
import { possibleAnswers } from '../../../src/projections/possible-answers.ts';
import { presentRelay } from '../../../src/projections/presentation/present-relay.ts';
import { relayIn } from '../relays/relay-summary.ts';
import { writeAddress } from './address.ts';

/** Action buttons, which the types of the browser do not have. */
interface NoticeOptions extends NotificationOptions {
  readonly actions?: readonly { readonly action: string; readonly title: string }[];
}

/**
 * Shows what an agent asks as a notification of the browser. Where it has buttons, Approve and Reject answer at once; what
 * cannot be undone is approved only on the page.
 */
export async function showNotice(info: RelayInfo, onOpen: () => void): Promise<void> {
  if (Notification.permission !== 'granted') return;
  const relay = relayIn(info);
  const { summary, risks } = presentRelay(relay, { agentId: info.agentId });
  const title = `${info.agentId ?? 'An agent'} asks`;
  // Other tabs replace a notification with the same tag instead of adding one.
  const shared = { body: [summary.slice(0, 300), ...risks].join('\n'), tag: info.id, icon: '/favicon.svg' };
  const can = new Set(possibleAnswers(relay));
  const actions = [
    ...(can.has('approve') && risks.length === 0 ? [{ action: 'approve', title: 'Approve' }] : []),
    ...(can.has('reject') ? [{ action: 'reject', title: 'Reject' }] : []),
  ];
  const data = {
    path: writeAddress({ section: 'inbox', relayId: info.id }),
    answerPath: `/api/threads/${encodeURIComponent(info.threadId)}/relays/${encodeURIComponent(info.id)}`,
  };
  try {
    const worker = await startNoticeWorker();
    const options: NoticeOptions = { ...shared, actions, data };
    await worker.showNotification(title, options);
  } catch {
    // A browser without workers, or without buttons, shows it plain.
    const notice = new Notification(title, shared);
    notice.addEventListener('click', () => {
      focus();
      onOpen();
      notice.close();
    });
  }
}

/** Starts what answers notifications while the page is in the background; rejects where the browser has no workers. */
async function startNoticeWorker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register('/notice-worker.js');
  return navigator.serviceWorker.ready;
}
