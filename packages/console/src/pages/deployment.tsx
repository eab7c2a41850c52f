export const DeploymentPage = () => <div className="page">deployment</div>;
