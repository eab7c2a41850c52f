/** The next page of a long list. */
export const MoreButton = (props: {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly label?: string;
}) =>
  props.list.hasNextPage ? (
    <div className="body-pad">
      <button
        className="btn"
        onClick={() => void props.list.fetchNextPage()}
        disabled={props.list.isFetchingNextPage}
      >
        {props.label ?? 'Older'}
      </button>
    </div>
  ) : null;
