export const DeploymentsPage = () => <div className="page">deployments</div>;
