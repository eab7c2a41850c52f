import { useState } from 'react';
import { Icon } from './icon.tsx';
import { complain } from './toast.tsx';

/** Over plain HTTP browsers give no clipboard at all. */
const copyText = async (text: string): Promise<void> => {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard === undefined) throw new Error('no clipboard over plain HTTP');
  await clipboard.writeText(text);
};

/** A command to be pasted elsewhere. */
export const CopyBox = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [copied, setCopied] = useState(false);
  return (
    <div className="codebox">
      <code>{text}</code>
      <button
        className="btn quiet icon small"
        aria-label={copied ? 'Copied' : `Copy ${label}`}
        onClick={() => {
          copyText(text).then(
            () => setCopied(true),
            () => complain('It could not be copied', 'Select the text and copy it by hand.'),
          );
        }}
      >
        <Icon name={copied ? 'check' : 'copy'} />
      </button>
    </div>
  );
};
