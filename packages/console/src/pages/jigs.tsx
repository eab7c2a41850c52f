export const JigsPage = () => <div className="page">jigs</div>;
