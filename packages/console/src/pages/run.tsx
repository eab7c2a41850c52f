export const RunPage = () => <div className="page">run</div>;
