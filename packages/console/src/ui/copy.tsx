import { useState } from 'react';
import { Icon } from './icon.tsx';

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
          void navigator.clipboard.writeText(text).then(() => setCopied(true));
        }}
      >
        <Icon name={copied ? 'check' : 'copy'} />
      </button>
    </div>
  );
};
