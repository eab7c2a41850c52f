import type { Draft } from './use-draft.ts';
import { Notice } from '../ui/empty.tsx';

/** Somebody else was quicker: nobody's work is lost without being told. */
export const MovedNotice = ({
  draft,
}: {
  readonly draft: Pick<Draft<unknown>, 'moved' | 'takeTheirs'>;
}) =>
  draft.moved ? (
    <Notice tone="warn">
      <strong>Somebody else changed this meanwhile.</strong>
      <p className="muted">Keeping yours puts it in place of theirs.</p>
      <button type="button" className="btn small" onClick={draft.takeTheirs}>
        Take theirs
      </button>
    </Notice>
  ) : null;
