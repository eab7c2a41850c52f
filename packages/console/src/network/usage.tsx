/** How full a range is. An IPv6 range can be huge: then the bar is empty and the count says it. */
import type { Network } from '@hostwright/api/nouns/network';

export type Range = Network['ranges'][number];

const takenOf = (range: Range): number => range.held + range.reserved + range.quarantined;

const sizeText = (range: Range): string =>
  range.size.length > 12 ? 'plenty' : Number(range.size).toLocaleString('en');

export const Usage = ({ range }: { readonly range: Range }) => {
  const share = (count: number) => `${Math.min(100, (100 * count) / Number(range.size))}%`;
  const taken = takenOf(range);
  return (
    <span className="row">
      <span
        className="meter grow"
        role="img"
        aria-label={`${taken} of ${sizeText(range)} addresses taken`}
      >
        <i data-state="active" style={{ width: share(range.held) }} />
        <i data-state="proposed" style={{ width: share(range.reserved) }} />
        <i data-state="blocked" style={{ width: share(range.quarantined) }} />
      </span>
      <span className="faint num nowrap">
        {taken.toLocaleString('en')} of {sizeText(range)}
      </span>
    </span>
  );
};
