export const NoderolePage = () => <div className="page">noderole</div>;
