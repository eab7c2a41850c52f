export const NodePage = () => <div className="page">node</div>;
