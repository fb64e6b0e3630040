import { type Attachment, bytesText, isImage } from './attachments.ts';

/** The files and images that go with the next message. */
export function AttachmentChips({
  attachments,
  onRemove,
}: {
  attachments: readonly Attachment[];
  onRemove: (id: string) => void;
}) {
  if (attachments.length === 0) return null;
  return (
    <ul className="chips" aria-label="Attachments">
      {attachments.map(attachment => (
        <li key={attachment.id} className="chip">
          {isImage(attachment) && (
            <img className="chip-image" src={`data:${attachment.mediaType};base64,${attachment.data}`} alt="" />
          )}
          <span className="chip-open">
            {attachment.name} <span>{bytesText(attachment.size)}</span>
          </span>
          <button
            type="button"
            className="chip-remove"
            aria-label={`Remove ${attachment.name}`}
            onClick={() => onRemove(attachment.id)}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
