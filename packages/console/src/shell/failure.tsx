import { Link, useRouter } from '@tanstack/react-router';
import { troubleOf, type Trouble as TroubleText } from '../session/client.ts';
import { Empty, Notice } from '../ui/empty.tsx';

export const TroubleNotice = ({ trouble }: { readonly trouble: TroubleText }) => (
  <Notice tone="bad">
    <strong>{trouble.title}</strong>
    {/* the reasons say more than the sentence made of them */}
    {trouble.refusals.length === 0 ? (
      <p className="muted">{trouble.detail}</p>
    ) : (
      <ul>
        {trouble.refusals.map((refusal) => (
          <li key={refusal.path + refusal.message}>
            {refusal.path === '' ? null : <span className="mono muted">{refusal.path} </span>}
            {refusal.message}
          </li>
        ))}
      </ul>
    )}
  </Notice>
);

export const Trouble = ({ error }: { readonly error: unknown }) => (
  <TroubleNotice trouble={troubleOf(error)} />
);

export const Failure = ({ error }: { readonly error: unknown }) => {
  const router = useRouter();
  return (
    <div className="page">
      <div className="page-inner stack">
        <Trouble error={error} />
        <div className="row">
          <button className="btn" onClick={() => void router.invalidate()}>
            Try again
          </button>
          <Link className="btn quiet" to="/fleet">
            To the fleet
          </Link>
        </div>
      </div>
    </div>
  );
};

export const NotFound = () => (
  <Empty
    icon="search"
    title="There is no such page"
    actions={
      <Link className="btn" to="/fleet">
        To the fleet
      </Link>
    }
  >
    The address may be mistyped, or what it named was removed.
  </Empty>
);
