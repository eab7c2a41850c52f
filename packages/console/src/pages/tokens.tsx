export const TokensPage = () => <div className="page">tokens</div>;
