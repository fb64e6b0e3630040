/** Answers what an agent asks from its notification: Approve and Reject without opening the page, a click opens it. */
self.addEventListener('notificationclick', event => {
  const { notification, action } = event;
  const { path, answerPath } = notification.data;
  notification.close();
  event.waitUntil(action === '' ? openPage(path) : answer(answerPath, action).catch(() => report(notification)));
});

self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));

/** Shows the page that is open at a path, or opens it. */
async function openPage(path) {
  const [page] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (page === undefined) return self.clients.openWindow(path);
  // A page of this worker has its origin.
  // oxlint-disable-next-line require-post-message-target-origin
  page.postMessage({ open: path });
  return page.focus();
}

async function answer(path, outcome) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome }),
  });
  if (!response.ok) throw new Error(`The server answered with status ${response.status}.`);
}

/** An answer that the server did not take is reported: somebody else may have been faster. */
function report({ title, tag, data }) {
  const body = 'Your answer was not taken. It may be answered already: click to see.';
  return self.registration.showNotification(title, { body, tag, data, icon: '/favicon.svg' });
}
