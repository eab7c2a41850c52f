export const RolePage = () => <div className="page">role</div>;
