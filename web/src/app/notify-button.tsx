import { useState } from 'react';
import { setPreferences, usePreferences } from './preferences.ts';

/** Turns notifications on, after the browser asked the person, or off. */
export function NotifyButton() {
  const { notify } = usePreferences();
  const isOffered = 'Notification' in globalThis;
  const [permission, setPermission] = useState(() => (isOffered ? Notification.permission : 'denied'));
  if (!isOffered) return <p className="sheet-note">This browser has no notifications.</p>;
  if (permission === 'denied')
    return <p className="sheet-note">This browser blocks notifications of this page. Allow them in its settings.</p>;
  const isOn = notify && permission === 'granted';
  const toggle = async () => {
    if (isOn) return setPreferences({ notify: false });
    const answer = await Notification.requestPermission();
    setPermission(answer);
    setPreferences({ notify: answer === 'granted' });
  };
  return (
    <button type="button" className="button" aria-pressed={isOn} onClick={() => void toggle()}>
      {isOn ? 'Notifications are on' : 'Notify me when something waits'}
    </button>
  );
}
