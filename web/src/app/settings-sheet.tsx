import { Dialog } from '../parts/dialog.tsx';
import { NotifyButton } from './notify-button.tsx';
import { type Preferences, setPreferences, usePreferences } from './preferences.ts';

/** The settings of this browser. */
export function SettingsSheet({ onClose }: { onClose: () => void }) {
  const { theme, sendKey } = usePreferences();
  return (
    <Dialog label="Settings" onClose={onClose}>
      <div className="sheet-form">
        <Choice
          label="Theme"
          name="theme"
          value={theme}
          options={[
            { value: 'system', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
        <Choice
          label="Send a message with"
          name="sendKey"
          value={sendKey}
          options={[
            { value: 'enter', label: 'Enter' },
            { value: 'mod-enter', label: 'Ctrl or ⌘ + Enter' },
          ]}
        />
        <div className="choice">
          <span className="choice-label">Notifications</span>
          <NotifyButton />
        </div>
        <p className="sheet-note">Settings are kept in this browser.</p>
      </div>
    </Dialog>
  );
}

interface ChoiceProps<Name extends 'theme' | 'sendKey'> {
  readonly label: string;
  readonly name: Name;
  readonly value: Preferences[Name];
  readonly options: readonly { readonly value: Preferences[Name]; readonly label: string }[];
}

function Choice<Name extends 'theme' | 'sendKey'>({ label, name, value, options }: ChoiceProps<Name>) {
  return (
    <fieldset className="choice">
      <legend className="choice-label">{label}</legend>
      <div className="segments">
        {options.map(option => (
          <label key={option.value} className="segment" data-checked={option.value === value}>
            <input
              type="radio"
              className="unseen"
              name={name}
              checked={option.value === value}
              onChange={() => setPreferences({ [name]: option.value })}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
