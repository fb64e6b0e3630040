import { Dialog } from '../parts/dialog.tsx';

const groups: readonly { readonly name: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    name: 'Everywhere',
    keys: [
      ['Ctrl K', 'Find a command, conversation or message'],
      ['G I', 'Inbox; Alt I while you write'],
      ['G T', 'Search conversations; Alt T while you write'],
      ['N', 'New conversation; Alt N while you write'],
      ['?', 'This sheet, also in an empty message'],
      ['Esc', 'Close what is open'],
    ],
  },
  {
    name: 'Inbox',
    keys: [
      ['J  K', 'Next, previous'],
      ['Y', 'Approve'],
      ['T', 'Approve, also from now on in this conversation'],
      ['C', 'Approve, also all of its category in this conversation'],
      ['R', 'Reject, with a reason'],
      ['E', 'Change the input before it runs'],
      ['O', 'Open the conversation'],
    ],
  },
  {
    name: 'Conversation',
    keys: [
      ['Esc', 'Stop what runs; otherwise leave an empty message'],
      ['D', 'Changed files; Alt D while you write'],
      ['↑  ↓', 'In a diff or an answer: choose a line'],
      ['Enter', 'Comment on the line'],
      ['Home  End', 'First, newest message'],
    ],
  },
  {
    name: 'Message',
    keys: [
      ['Enter', 'Send (or a new line, see Settings)'],
      ['Shift Enter', 'New line'],
    ],
  },
];

/** The keyboard shortcuts. */
export function HelpSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keyboard shortcuts" onClose={onClose}>
      {groups.map(({ name, keys }) => (
        <section key={name} className="help-group">
          <h3>{name}</h3>
          <dl>
            {keys.map(([key, meaning]) => (
              <div key={key}>
                <dt>
                  {key.split(' ').map((each, index) =>
                    // Two keys of one shortcut may be the same.
                    // oxlint-disable-next-line no-array-index-key
                    each === '' ? ' ' : <kbd key={index}>{each}</kbd>,
                  )}
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p className="sheet-note">Single letters work when no field has the focus: Esc leaves an empty message.</p>
    </Dialog>
  );
}
